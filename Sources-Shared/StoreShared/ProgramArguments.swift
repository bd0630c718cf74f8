/// The words of the command line, without the program's name.
public enum ProgramArguments {
    /// Reads them.
    ///
    /// A word that is not UTF-8 is refused: Swift would repair it, and the repaired name is that of another file.
    ///
    /// - Throws: `ArgumentError` for the first such word.
    public static func read() throws(ArgumentError) -> [String] {
        var words: [String] = []
        for position in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[position] else { break }
            guard let word = String(validatingCString: bytes) else {
                throw ArgumentError(position: position, shown: String(cString: bytes).onOneLine)
            }
            words.append(word)
        }
        return words
    }
}

/// A word of the command line that cannot be understood as text.
public struct ArgumentError: Error, CustomStringConvertible {
    /// From 1.
    let position: Int
    /// The word with what is no text replaced.
    let shown: String

    public var description: String {
        "argument \(position), \(shown), is not UTF-8, and repaired it would name another file: "
            + "use names that are UTF-8"
    }
}
