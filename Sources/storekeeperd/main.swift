import StoreShared

System.ignoreBrokenPipes()
do {
    let settings = try Settings(Array(CommandLine.arguments.dropFirst()))
    System.end(try Daemon(settings).run())
} catch let error as UsageError {
    System.print("storekeeperd: \(error.reason.onOneLine)\n\(Usage.hint)\n", toError: true)
    System.end(ExitStatus.usage)
} catch {
    System.print(Complaint(error).text, toError: true)
    System.end(ExitStatus.of(error))
}
