/// Why a command line cannot be carried out.
struct UsageError: Error {
    let reason: String
}

enum Usage {
    static let hint = "Try: storectl --help"

    static let text = """
        usage: storectl VERB STORE [options]

        asks
          version STORE                     the version of the store, alone on a line
          status STORE                      everything, for a person
          check STORE --want V [--strict]   is it readable by a program built for V?
          wait STORE --want V [--timeout T] [--strict] [--require-owner]
                                            the same, once it is, or when waiting cannot help
          watch STORE                       events as they happen, until SIGINT or SIGTERM
          readers STORE                     who reads, since when, from which snapshot
          history STORE                     stages applied and failed
          schema STORE [--format sql|mermaid|json] [--version V]
                                            of the store, or of a version that it remembers
          metrics STORE                     Prometheus text
          doctor STORE [--plan DIR]         every check that is known, and what to do
          plan STORE --plan DIR [--to V] [--allow-loss]
                                            what an owner would do, and what it would refuse
          rehearse STORE --plan DIR [--to V] [--allow-loss]
                                            the same on a private copy: time, size, differences

        acts
          backup STORE [--to FILE]          a complete copy, safe while everybody works
          restore STORE --from FILE         put a backup in place of everything that the store holds: what is
                                            newer is gone, so make a backup first if it may be wanted
          adopt STORE --plan DIR [--as V] [--allow-extra]
                                            make a database a store at the version that it has
          rollback STORE --to V [--yes]     run the steps back that the store keeps, with a backup first

          --want V          a version, major.minor.patch
          --strict          the published record must agree with the store
          --timeout T       30, 30s, 500ms, 2m, 0 (ask once) or forever; 30s by default
          --require-owner   do not wait when nobody owns the store
          --allow-extra     let be what the database has beyond the version
          --allow-loss      as if the owner ran with --allow-loss
          --allow-fs        use a file system that is not known to be safe
          --yes             agree beforehand
          --json            one object, with every key
          --quiet           nothing but the answer itself

        exit status: 0 it holds, or it is done, 1 internal error, 2 usage, 3 outdated and nobody is migrating, 4 too new, 5 timed out,
        or another owner holds it, 6 migrating now, 7 the migration failed, or was refused, 8 no store or not readable, 9 record and
        store disagree, 10 the doctor found something

        """
}
