extension String {
    /// The text with a space for each line end: for a log or a message of which one line is one thing.
    package var onOneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
