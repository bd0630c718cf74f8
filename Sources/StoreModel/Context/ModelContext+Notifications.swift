import Foundation

extension ModelContext {
    /// Posted before a save; changes made by its observers belong to that save.
    public static let willSave = Notification.Name("StoreModel.ModelContext.willSave")
    /// Posted after a save, with the identifiers of what changed. Neither is posted in a stage of a migration, whose saves are committed
    /// with the stage and not before.
    public static let didSave = Notification.Name("StoreModel.ModelContext.didSave")

    /// Keys of a notification's `userInfo`. Both the case and its raw value are keys there.
    public enum NotificationKey: String {
        case queryGeneration
        case invalidatedAllIdentifiers
        case insertedIdentifiers
        case updatedIdentifiers
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
