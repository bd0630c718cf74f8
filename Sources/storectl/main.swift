import StoreShared

// A copy that grows too long is an error like a full disk.
System.ignoreFileSizeLimit()
do {
    System.end(try Command(ProgramArguments.read()).run())
} catch let error as UsageError {
    System.print("storectl: \(error.reason.onOneLine)\n\(Usage.hint)\n", toError: true)
    System.end(2)
} catch let error as ArgumentError {
    System.print("storectl: \(error)\n", toError: true)
    System.end(2)
} catch {
    let reason = (error as? SystemError)?.advice ?? "\(error)"
    System.print("storectl: \(reason.onOneLine)\n", toError: true)
    System.end(1)
}
