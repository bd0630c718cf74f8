// One process of a fault schedule. It obeys lines on its standard input and tells on its standard output what it did, what happened in
// which state, and when it was held up; see Commands.swift for the lines.
#if STORE_FAULTS
import Glibc

guard CommandLine.arguments.count > 1 else {
    Wire.say("usage: fault-actor STORE [LEDGER]")
    exit(2)
}
let actor = try FaultActor(store: CommandLine.arguments[1], ledger: CommandLine.arguments.dropFirst(2).first)
actor.run()
#else
print("fault-actor is of use in a build with -DSTORE_FAULTS only; see scripts/soak")
#endif
