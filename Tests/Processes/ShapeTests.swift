import ProcessHarness
import StoreSQLite
import Testing

/// That a reader which is shown rubbish says so: otherwise no other test could rely on its silence.
@Suite(.serialized) struct ShapeTests {
    @Test(arguments: [
        "UPDATE \"Note\" SET \"body\" = X'FFFE' WHERE storekeeper_id = 7",
        "UPDATE \"Note\" SET \"body\" = CAST('nothing of the kind' AS BLOB) WHERE storekeeper_id = 7",
        "UPDATE \"Note\" SET \"folder\" = 4711 WHERE storekeeper_id = 7",
        "UPDATE \"Tag\" SET \"name\" = '' WHERE \"name\" = 'package-0'",
        "UPDATE \"Note\" SET \"created\" = -1.5 WHERE storekeeper_id = 7",
    ]) func aReaderNoticesRowsOfTheWrongShape(_ damage: String) throws {
        let store = try NotesStore()
        let connection = try Connection(path: store.path, access: .readWrite)
        try connection.execute(damage)
        connection.close()
        let reader = try run(.reader, store.path, "--for", "1.0.0")
        #expect(reader.ending == .exit(20), "\(reader)")
        let follower = try run(.reader, store.path, "--for", "1.0.0", "--follow", "--pause", "0")
        #expect(follower.ending == .exit(20), "\(follower)")
    }
}
