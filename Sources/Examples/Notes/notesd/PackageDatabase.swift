import Foundation

/// One package of a Debian package database.
struct Package {
    var name: String
    var section: String
    var synopsis: String
    var description: String
    /// Names of the packages that it depends on, without versions; of alternatives the first. In the order of the file, none twice.
    var dependencies: [String]
}

/// The package database of a Debian machine: paragraphs of fields, as deb822(5) describes.
struct PackageDatabase {
    private(set) var packages: [Package] = []
    private var names: Set<String> = []

    /// Reads a file such as `/var/lib/dpkg/status`.
    ///
    /// Passes over paragraphs without a package name, and packages that were there before, for another architecture.
    init(path: String) throws {
        guard let file = fopen(path, "re") else {
            throw PackageDatabaseError(path: path, reason: String(cString: strerror(errno)))
        }
        defer { fclose(file) }
        var fields: [String: String] = [:]
        var field = ""
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, file) >= 0, let bytes = line {
            var text = String(cString: bytes)
            if text.hasSuffix("\n") { text.removeLast() }
            if text.isEmpty {
                append(fields)
                fields = [:]
            } else if text.hasPrefix(" ") {
                let continued = text.dropFirst()
                fields[field, default: ""] += "\n" + (continued == "." ? "" : continued)
            } else if let colon = text.firstIndex(of: ":") {
                field = String(text[..<colon])
                fields[field] = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
        }
        append(fields)
        guard !packages.isEmpty else { throw PackageDatabaseError(path: path, reason: "it names no package") }
    }

    private mutating func append(_ fields: [String: String]) {
        guard let name = fields["Package"], names.insert(name).inserted else { return }
        let description = fields["Description", default: ""]
        let synopsisEnd = description.firstIndex(of: "\n") ?? description.endIndex
        var dependencies: [String] = []
        for entry in (fields["Depends", default: ""]).split(separator: ",") {
            let first = entry.split(separator: "|")[0]
            let name = first.drop { $0.isWhitespace }.prefix { !$0.isWhitespace && $0 != "(" && $0 != ":" }
            if !name.isEmpty, !dependencies.contains(String(name)) { dependencies.append(String(name)) }
        }
        packages.append(
            Package(
                name: name, section: fields["Section", default: "unsorted"], synopsis: String(description[..<synopsisEnd]),
                description: description, dependencies: dependencies))
    }
}

/// Why a package database could not be read.
struct PackageDatabaseError: Error, CustomStringConvertible {
    var path: String
    var reason: String

    var description: String { "\(path): \(reason); name another file with --import" }
}
