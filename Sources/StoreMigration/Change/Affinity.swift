/// The type affinity of a column, by SQLite's rules (sqlite.org/datatype3.html, section 3.1).
enum Affinity: Sendable, Hashable {
    case integer, text, blob, real, numeric
    /// ANY in a STRICT table: nothing is ever converted.
    case any

    init(declaredType: String, isStrict: Bool) {
        let type = SQLName.capitals(declaredType)
        if isStrict, type == "ANY" {
            self = .any
        } else if type.contains("INT") {
            self = .integer
        } else if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") {
            self = .text
        } else if type.isEmpty || type.contains("BLOB") {
            self = .blob
        } else if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") {
            self = .real
        } else {
            self = .numeric
        }
    }

    /// The type to write after CAST AS; nil where nothing is converted.
    var castName: String? {
        switch self {
        case .integer: "INTEGER"
        case .text: "TEXT"
        case .blob: "BLOB"
        case .real: "REAL"
        case .numeric: "NUMERIC"
        case .any: nil
        }
    }
}
