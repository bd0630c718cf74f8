import Storekeeper

/// What is measured: a model of the usual kinds of values, without a relationship that would be followed.
@Model final class Item {
    #Index<Item>([\.rank])
    @Attribute(.unique) var key: String
    var title: String
    var body: String?
    var count: Int
    var rank: Int
    var rating: Double
    var created: Date
    var isOpen: Bool

    init(number: Int) {
        key = "item-\(number)"
        title = "The title of item \(number)"
        body = number % 3 == 0 ? nil : "A body of some words that belongs to item \(number)"
        count = number
        rank = number &* 7919 % 100_003
        rating = Double(number) / 8
        created = Date(timeIntervalSinceReferenceDate: Double(number))
        isOpen = number % 2 == 0
    }
}
