/// What an event or an answer of the owner says about changed rows; the state that it carries besides is not looked at.
package struct ChangeNotice: Decodable, Hashable, Sendable {
    /// Entities whose rows a commit changed.
    package var entities: [String]?
    /// One more than that of the change told before.
    package var token: Int64?
}
