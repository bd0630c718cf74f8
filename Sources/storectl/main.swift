import StoreShared

do {
    System.end(try Command(Array(CommandLine.arguments.dropFirst())).run())
} catch let error as UsageError {
    System.print("storectl: \(error.reason.onOneLine)\n\(Usage.hint)\n", toError: true)
    System.end(2)
} catch {
    System.print("storectl: \("\(error)".onOneLine)\n", toError: true)
    System.end(1)
}
