import StoreShared
import StoreSQLite

extension RelationalSchema {
    /// SHA-256 over the normal forms of all objects in the order of their bytes: neither the order of objects nor that of indexes counts.
    package func shape(_ frontEnd: FrontEnd) -> Fingerprint {
        var hash = SHA256()
        for form in normalForms(frontEnd).sorted(by: ExactText.precedes) {
            hash.update(form.text)
            hash.update([0])
        }
        return Fingerprint(hex: hexadecimal(hash.finish())) ?? Fingerprint(of: "")
    }

    /// The shape of a database, from one statement over `sqlite_schema`: cheap enough for every opening.
    package static func shape(of connection: Connection, _ frontEnd: FrontEnd) throws -> Fingerprint {
        try RelationalSchema(objects: SchemaObject.all(in: connection)).shape(frontEnd)
    }
}
