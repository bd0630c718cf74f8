import Foundation

/// So that an attributed text can be an attribute; Foundation on Linux has no coding for it.
///
/// As an object of `text` and `runs`, each with its length in characters and the attributes that Foundation has on Linux: link, language,
/// alternate description, image. Attributes of other scopes are not kept.
extension AttributedString: @retroactive Codable {
    private enum CodingKeys: CodingKey { case text, runs }

    private struct Run: Codable {
        var length: Int
        var link: URL?
        var language: String?
        var alternateDescription: String?
        var image: URL?
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try values.decode(String.self, forKey: .text))
        var start = startIndex
        for run in try values.decode([Run].self, forKey: .runs) {
            let end = characters.index(start, offsetBy: run.length, limitedBy: endIndex) ?? endIndex
            self[start..<end].link = run.link
            self[start..<end].languageIdentifier = run.language
            self[start..<end].alternateDescription = run.alternateDescription
            self[start..<end].imageURL = run.image
            start = end
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(String(characters), forKey: .text)
        let described = runs.map { run in
            Run(
                length: characters.distance(from: run.range.lowerBound, to: run.range.upperBound), link: run.link,
                language: run.languageIdentifier, alternateDescription: run.alternateDescription, image: run.imageURL)
        }
        try values.encode(described, forKey: .runs)
    }
}
