import Foundation
import Storekeeper

@Model public final class Bookmark {
    @Attribute(.unique) public var address: String
    public var title: String

    public init(address: String, title: String) {
        self.address = address
        self.title = title
    }
}
