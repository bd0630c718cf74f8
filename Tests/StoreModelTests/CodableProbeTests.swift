import Foundation
import SwiftData
import Testing

@testable import StoreModel

/// Takes 0 and multiples of 5 only.
private struct Money: Codable, Hashable {
    var cents: Int
    let currency: String
    var rounded: Int { cents / 100 * 100 }

    init(cents: Int, currency: String) {
        (self.cents, self.currency) = (cents, currency)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        cents = try container.decode(Int.self, forKey: .cents)
        currency = try container.decode(String.self, forKey: .currency)
        precondition(cents >= 0 && cents % 5 == 0, "a value that was made up came in")
    }
}

private enum Suit: String, Codable { case hearts, spades }

private struct Card: Codable {
    var suit: Suit
    var value: Int
    var rank: Int
    var note: String?

    enum CodingKeys: String, CodingKey {
        case suit
        // Each under the other's name.
        case value = "rank"
        case rank = "value"
        case note = "n"
    }
}

@Model private final class Bill {
    var total: Money
    init(_ total: Money) { self.total = total }
}

/// Under which key a property of a `Codable` type stands.
@Suite struct CodableProbeTests {
    @Test func keysAreProvedWithoutTrustingNames() {
        #expect(CodableProbe.key(of: \Card.suit) == "suit")
        #expect(CodableProbe.key(of: \Card.value) == "rank")
        #expect(CodableProbe.key(of: \Card.rank) == "value")
        #expect(CodableProbe.key(of: \Card.note) == "n")
        #expect(CodableProbe.key(of: \Money.rounded) == nil)
    }

    @Test func aDecoderThatTakesFewValuesSeesNoneThatItMustRefuse() throws {
        #expect(CodableProbe.key(of: \Money.cents) == "cents")
        #expect(CodableProbe.key(of: \Money.currency) == "currency")
        let context = ModelContext(
            try ModelContainer(for: Bill.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        for cents in [0, 5, 150] { context.insert(Bill(Money(cents: cents, currency: "EUR"))) }
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetchCount(FetchDescriptor<Bill>(predicate: #Predicate { $0.total.cents > 3 })) == 2)
        #expect(try other.fetchCount(FetchDescriptor<Bill>(predicate: #Predicate { $0.total.rounded == 100 })) == 1)
    }
}
