import StoreShared

/// Columns of text with two spaces between them, a line a row.
struct TextTable: CustomStringConvertible {
    private let rows: [[String]]

    init(_ rows: [[String]]) {
        self.rows = rows.map { $0.map(\.onOneLine) }
    }

    var description: String {
        var widths: [Int] = []
        for row in rows {
            for (index, text) in row.enumerated() {
                if index == widths.count { widths.append(0) }
                widths[index] = max(widths[index], text.count)
            }
        }
        return rows.map { row in
            var line = ""
            for (index, text) in row.enumerated() {
                line += index == row.count - 1 ? text : text + String(repeating: " ", count: widths[index] - text.count + 2)
            }
            return line + "\n"
        }.joined()
    }
}
