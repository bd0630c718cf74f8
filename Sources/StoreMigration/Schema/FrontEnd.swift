/// What a version of a plan was written in; it decides what of a schema counts.
package enum FrontEnd: String, Sendable, Codable {
    /// Swift models: neither the order of columns nor DEFAULT counts, since both come from source that may change them freely.
    case models
    /// SQL files: both count, since positional INSERT and `SELECT *` depend on the order.
    case sql
}
