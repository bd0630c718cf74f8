import StoreShared

// A copy that grows too long is an error like a full disk.
System.ignoreFileSizeLimit()
do {
    System.end(try Command(Array(CommandLine.arguments.dropFirst())).run())
} catch let error as UsageError {
    System.print("storectl: \(error.reason.onOneLine)\n\(Usage.hint)\n", toError: true)
    System.end(2)
} catch {
    System.print("storectl: \("\(error)".onOneLine)\n", toError: true)
    System.end(1)
}
