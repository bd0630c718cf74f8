/// One token of SQL text: what SQLite's own tokenizer would return, white space and comments left out.
package struct SQLToken: Sendable, Hashable {
    /// The classes of token that matter to a schema.
    package enum Kind: Sendable, Hashable {
        /// A bare word: a keyword or a name, which only its place can tell.
        case word
        /// A name in double quotes, square brackets or backticks. In double quotes SQLite may take it for a string.
        case quotedName
        /// A string in single quotes.
        case string
        /// `x'…'`.
        case blob
        /// An integer, hexadecimal or floating literal.
        case number
        /// `?`, `?1`, `:name`, `@name`, `$name`.
        case parameter
        /// An operator or a punctuation mark.
        case symbol
        /// What SQLite itself would refuse, an unterminated string for instance.
        case illegal
    }

    package let kind: Kind
    /// The token as it is written.
    package let text: String
    /// Where the token stands, in UTF-8 bytes from the beginning of the text.
    package let range: Range<Int>
    /// The keyword in capitals if the token is a bare word that SQLite knows as one, else the empty string.
    package let keyword: String

    init(kind: Kind, text: String, range: Range<Int>) {
        self.kind = kind
        self.text = text
        self.range = range
        keyword = kind == .word ? SQLKeywords.keyword(text) ?? "" : ""
    }

    /// The name that a word or a quoted name stands for, without quotes; nil for anything that cannot be a name.
    ///
    /// SQLite takes a string in single quotes where a name must stand, so that counts too.
    package var name: String? {
        switch kind {
        case .word: text
        case .quotedName: SQLName.unquoted(text)
        case .string: SQLName.unquoted(text)
        case .blob, .number, .parameter, .symbol, .illegal: nil
        }
    }

    package func isSymbol(_ symbol: String) -> Bool {
        kind == .symbol && text == symbol
    }
}
