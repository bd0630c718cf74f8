import StoreMigration
import StoreShared

/// An error as standard error gets it: the first line names the object and what to do, further ones say more.
struct Complaint {
    let text: String

    init(_ error: any Error) {
        var lines = ["\((error as? SystemError)?.advice ?? "\(error)")".onOneLine]
        if let refusal = (error as? StoreError)?.cause as? MigrationRefusal, refusal.refusals.count > 1 {
            lines += refusal.refusals.map(\.description.onOneLine)
        }
        text = lines.map { "storekeeperd: \($0)\n" }.joined()
    }
}
