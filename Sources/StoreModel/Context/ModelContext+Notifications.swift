import Foundation

extension ModelContext {
    /// Posted before a save; changes made by its observers belong to that save.
    public static let willSave = Notification.Name("StoreModel.ModelContext.willSave")
    /// Posted after a save, with the identifiers of what changed. Neither is posted in a stage of a migration, whose saves are committed
    /// with the stage and not before.
    public static let didSave = Notification.Name("StoreModel.ModelContext.didSave")

    /// Keys of a notification's `userInfo`. Both the case and its raw value are keys there.
    public enum NotificationKey: String {
        /// No notice has it: it is there because SwiftData declares it.
        case queryGeneration
        /// No notice has it: it is there because SwiftData declares it.
        case invalidatedAllIdentifiers
        /// With `didSave`: a list of the permanent identifiers of what was inserted.
        case insertedIdentifiers
        /// With `didSave`: a list of the identifiers of what was changed.
        case updatedIdentifiers
        /// With `didSave`: a list of the identifiers of what was deleted.
        case deletedIdentifiers
        /// With `didSave` only: for each store, the place in its history.
        case historyTokens
    }

    static func userInfo(_ values: [NotificationKey: Any]) -> [AnyHashable: Any] {
        var all: [AnyHashable: Any] = [:]
        for (key, value) in values {
            all[key] = value
            all[key.rawValue] = value
        }
        return all
    }
}
