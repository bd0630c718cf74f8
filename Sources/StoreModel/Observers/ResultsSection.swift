/// Results that have one value in common.
public struct ResultsSection<Element, SectionName>: Identifiable, RandomAccessCollection
where Element: PersistentModel, SectionName: Hashable {
    /// Its name.
    public var id: SectionName { name }
    /// The value that its models have in common.
    public let name: SectionName
    private let elements: ArraySlice<Element>

    init(_ name: SectionName, _ elements: ArraySlice<Element>) {
        self.name = name
        self.elements = elements
    }

    /// 0.
    public var startIndex: Int { 0 }
    /// How many models there are.
    public var endIndex: Int { elements.count }
    /// The model at a place, from 0.
    public subscript(position: Int) -> Element { elements[elements.startIndex + position] }
}

/// The sections of results, in their order.
public struct ResultsSectionCollection<Element, SectionName>: RandomAccessCollection
where Element: PersistentModel, SectionName: Hashable {
    private let sections: [ResultsSection<Element, SectionName>]
    private let numbers: [SectionName: Int]

    /// Cuts results, which are sorted by section, where the name changes.
    init(_ elements: [Element], by name: (Element) -> SectionName?) {
        var sections: [ResultsSection<Element, SectionName>] = []
        var numbers: [SectionName: Int] = [:]
        var start = 0
        while start < elements.count {
            guard let current = name(elements[start]) else { break }
            var end = start + 1
            while end < elements.count, name(elements[end]) == current { end += 1 }
            if numbers[current] == nil { numbers[current] = sections.count }
            sections.append(ResultsSection(current, elements[start..<end]))
            start = end
        }
        self.sections = sections
        self.numbers = numbers
    }

    /// 0.
    public var startIndex: Int { 0 }
    /// How many sections there are.
    public var endIndex: Int { sections.count }
    /// The section at a place, from 0.
    public subscript(position: Int) -> ResultsSection<Element, SectionName> { sections[position] }
    /// The names of the sections, in their order.
    public var sectionNames: [SectionName] { sections.map(\.name) }
    /// Whether a section has that name.
    public func contains(sectionName: SectionName) -> Bool { numbers[sectionName] != nil }
    /// The place of the section with that name, from 0; nil where there is none.
    public func index(ofSectionNamed name: SectionName) -> Int? { numbers[name] }
    /// The section with that name; nil where there is none.
    public subscript(sectionName sectionName: SectionName) -> ResultsSection<Element, SectionName>? {
        numbers[sectionName].map { sections[$0] }
    }
}
