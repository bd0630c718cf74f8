import StoreShared

System.ignoreBrokenPipes()
var migratesOnly = false
do {
    let settings = try Settings(ProgramArguments.read())
    migratesOnly = settings.migratesOnly
    System.end(try Daemon(settings).run())
} catch let error as UsageError {
    System.print("storekeeperd: \(error.reason.onOneLine)\n\(Usage.hint)\n", toError: true)
    System.end(ExitStatus.usage)
} catch let error as ArgumentError {
    System.print("storekeeperd: \(error)\n", toError: true)
    System.end(ExitStatus.usage)
} catch {
    System.print(Complaint(error).text, toError: true)
    System.end(ExitStatus.of(error, migratesOnly: migratesOnly))
}
