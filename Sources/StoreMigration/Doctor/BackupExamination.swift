import StoreSQLite
import StoreShared

/// The backups beside a store: whether each could be restored, and what lies there that is none.
package struct BackupExamination: Sendable {
    package private(set) var findings: [Finding] = []
    /// Backups that can be restored.
    package private(set) var count = 0
    /// When the newest of them was made, as its name says.
    package private(set) var newest: String?
    private let folder: String

    /// - Parameter storeID: of the store; nil where nobody can tell it, and a backup of any store will do.
    package init(_ location: StoreLocation, storeID: String?) {
        folder = location.backups
        for name in StoreCopy.leftovers(in: folder) {
            add(name, "a copy that a killed process left half-made", "remove it; the next migration does too")
        }
        for name in ((try? System.names(in: folder)) ?? []).sorted(by: SQLName.precedes) where !name.hasPrefix(StoreCopy.partial) {
            look(name, storeID)
        }
    }

    private mutating func look(_ name: String, _ storeID: String?) {
        if name.hasPrefix("damaged-") {
            guard name.hasSuffix(".store") else { return }
            return add(name, "what a restore replaced although nobody could read it", "take from it what is missing, then remove it")
        }
        if ["-wal", "-journal", "-shm"].contains(where: name.hasSuffix) {
            return add(name, "a log beside a backup: it would be replayed into it", "remove it, unless somebody has the backup open")
        }
        guard name.hasSuffix(".store") else { return add(name, "it is no backup", "move it away") }
        do {
            let metadata = try PreparedRestore.look("\(folder)/\(name)")
            guard metadata.storeID == storeID ?? metadata.storeID else {
                return add(name, "it is a backup of another store, \(metadata.storeID)", "move it away")
            }
            count += 1
            let moment = name.drop { !$0.isNumber }.prefix { $0 != "-" }
            newest = max(newest ?? "", String(moment))
        } catch {
            add(name, "it cannot be restored: \((error as? StoreError)?.message ?? "\(error)")", "make a new backup, then remove it")
        }
    }

    private mutating func add(_ name: String, _ problem: String, _ remedy: String) {
        findings.append(Finding(object: "\(folder)/\(name)", problem: problem, remedy: remedy))
    }
}
