/// Why a command line cannot be carried out.
struct UsageError: Error {
    let reason: String
}

enum Usage {
    static let hint = "Try: storekeeperd --help"

    static let text = """
        usage: storekeeperd STORE --plan DIR [options]

        Owns a store: brings it to the version of a plan written in SQL, publishes it, and serves until SIGTERM or SIGINT.

          --plan DIR           the folder of versions; the highest is the target
          --to VERSION         another target; a lower one than the store's is reached by the steps back, with --allow-loss
          --migrate-only       migrate, publish, leave
          --wait SECONDS       wait this long for another owner to leave; 0 by default
          --atomicity WHAT     plan: all stages in one transaction (the default); stage: each in its own
          --backup-keep N      keep the newest N backups from before migrations; 3 by default
          --no-backup          make none
          --allow-loss         run stages that lose data, also where the plan does not allow it
          --allow-skipped      go on although a version below the store's own has a script that never ran
          --batch-pause MS     wait this long between batches; 0 by default
          --drain SECONDS      how long readers are asked to leave before an exclusive stage gives up; 10 by default
          --adopt              adopt a database of another program whose shape a version of the plan has
          --allow-fs           use a file system that is not known to be safe
          --socket-group NAME  the group that may ask on the socket
          --log text|json      what happens, on standard output; text by default
          --quiet              no log

        exit status: 0 done, or stopped after serving, 2 usage, 4 the store is newer than the plan, 5 another owner holds it or timed
        out or stopped in a migration, 7 the plan was refused or failed, 8 not a store, or of an unknown shape, 1 anything else: also
        what may pass by itself (a full disk, no descriptor left, a permission), where it was to serve

        """
}
