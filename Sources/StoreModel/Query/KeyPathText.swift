/// What a key path says of itself: the names of stored properties, and the types and addresses of computed ones.
enum KeyPathText {
    /// The steps of a key path, as it describes them: `<computed 0x… (Details)>`, `size`.
    static func steps(of keyPath: AnyKeyPath) -> [String] {
        var steps: [String] = []
        var current = ""
        var depth = 0
        for character in "\(keyPath)".drop(while: { $0 != "." }) {
            switch character {
            case "<", "(": depth += 1
            case ">", ")": depth -= 1
            default: break
            }
            if depth == 0, character == "." || character == "?" || character == "!" {
                if !current.isEmpty { steps.append(current) }
                current = ""
            } else {
                current.append(character)
            }
        }
        if !current.isEmpty { steps.append(current) }
        return steps
    }

    /// The type of a computed step.
    static func type(of step: String) -> Substring? {
        guard let open = step.firstIndex(of: "("), let close = step.lastIndex(of: ")") else { return nil }
        return step[step.index(after: open)..<close]
    }

    /// A key path for people: with the names of the entity's properties where they are known, and without addresses.
    static func describe(_ keyPath: AnyKeyPath, of entity: EntityTable) -> String {
        replacingAddresses(in: "\(keyPath)", names: names(of: [entity]))
    }

    /// A text in which key paths stand, such as the description of a predicate, without addresses.
    static func replacingAddresses(in text: String, names: [String: String]) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.range(of: "<computed ") {
            result += rest[..<start.lowerBound]
            rest = rest[start.lowerBound...]
            var depth = 0
            guard
                let end = rest.indices.first(where: { index in
                    if rest[index] == "<" { depth += 1 }
                    if rest[index] == ">" { depth -= 1 }
                    return depth == 0
                })
            else { break }
            let step = String(rest[...end])
            rest = rest[rest.index(after: end)...]
            if let name = names[step] {
                result += name
            } else if let open = step.firstIndex(of: "("), let close = step.lastIndex(of: ")") {
                result += "<a computed \(step[step.index(after: open)..<close])>"
            } else {
                result += "<a computed property>"
            }
        }
        return result + rest
    }

    /// The names of stored properties by what their key paths say.
    static func names(of entities: [EntityTable]) -> [String: String] {
        var names: [String: String] = [:]
        for entity in entities {
            for (path, property) in entity.properties {
                if let step = steps(of: path).first { names[step] = property.name }
            }
        }
        return names
    }
}
