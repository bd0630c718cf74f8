import StoreShared

/// Prints a part of the answer to standard output.
///
/// An answer that cannot be written, to a full disk or a closed output, is no answer: the command then ends with 1, whatever it found.
func say(_ text: String) {
    guard !System.print(text) else { return }
    System.print("storectl: standard output cannot be written; make room for it, or open it\n", toError: true)
    System.end(1)
}
