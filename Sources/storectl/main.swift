import FoundationEssentials
import CStoreSQLite
struct A: Codable { var a: Int }
print(String(cString: sqlite3_libversion()), String(decoding: try JSONEncoder().encode(A(a: 1)), as: UTF8.self))
