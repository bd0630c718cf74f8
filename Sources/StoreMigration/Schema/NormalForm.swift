/// The normal form of SQL text: what is left of it when white space, comments, keyword case and the quoting of names do not count.
///
/// Names stand in double quotes, keywords bare in capitals, literals as they are. A name that is also a keyword is written as the
/// keyword: nothing valid can mean both at one place. A text in double quotes is a string to SQLite where no column has that
/// name; it is written as a string then.
struct NormalForm {
    /// Folded names that a text in double quotes may mean.
    var knownNames: Set<String>?

    /// The tokens in normal form, joined by single spaces.
    func text(_ tokens: some Collection<SQLToken>) -> String {
        let tokens = Array(tokens)
        return tokens.indices.map {
            text(tokens[$0], before: $0 > 0 ? tokens[$0 - 1] : nil, after: $0 + 1 < tokens.count ? tokens[$0 + 1] : nil)
        }
        .joined(separator: " ")
    }

    private func text(_ token: SQLToken, before: SQLToken?, after: SQLToken?) -> String {
        // SQLite compares the names of collations without regard to case.
        if before?.keyword == "COLLATE", let name = token.name { return SQLName.capitals(name) }
        switch token.kind {
        case .word:
            return token.keyword.isEmpty ? SQLName.quoted(token.text) : token.keyword
        case .quotedName:
            let name = SQLName.unquoted(token.text)
            if isString(token, name, before: before, after: after) { return SQLName.literal(name) }
            return SQLKeywords.keyword(name) ?? SQLName.quoted(name)
        case .blob:
            return SQLName.capitals(token.text)
        case .string, .number, .parameter, .symbol, .illegal:
            return token.text
        }
    }

    /// Whether SQLite takes the text in double quotes for a string: no name it could mean, and not where only a name can stand.
    private func isString(_ token: SQLToken, _ name: String, before: SQLToken?, after: SQLToken?) -> Bool {
        guard token.text.utf8.first == UInt8(ascii: "\""), let knownNames, !knownNames.contains(SQLName.folded(name)) else { return false }
        if let after, after.isSymbol("(") || after.isSymbol(".") { return false }
        guard let before else { return true }
        if before.isSymbol(".") || before.keyword == "AS" || before.keyword == "COLLATE" || before.keyword == "END" { return false }
        // Directly after an operand a text in double quotes is an alias.
        switch before.kind {
        case .word: return !before.keyword.isEmpty
        case .quotedName, .string, .number, .blob, .parameter: return false
        case .symbol: return before.text != ")"
        case .illegal: return true
        }
    }
}
