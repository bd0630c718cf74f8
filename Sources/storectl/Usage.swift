/// Why a command line cannot be carried out.
struct UsageError: Error {
    let reason: String
}

enum Usage {
    static let hint = "Try: storectl --help"

    static let text = """
        usage: storectl VERB STORE [options]

          version STORE                     the version of the store, alone on a line
          status STORE                      everything, for a person
          check STORE --want V [--strict]   is it readable by a program built for V?
          wait STORE --want V [--timeout T] [--strict] [--require-owner]
                                            the same, once it is, or when waiting cannot help

          --want V          a version, major.minor.patch
          --strict          the published record must agree with the store
          --timeout T       30, 30s, 500ms, 2m, 0 (ask once) or forever; 30s by default
          --require-owner   do not wait when nobody owns the store
          --json            one object, with every key
          --quiet           nothing but the answer itself

        exit status: 0 it holds, 1 internal error, 2 usage, 3 outdated and nobody is migrating, 4 too new, 5 timed out,
        6 migrating now, 7 the migration failed, 8 no store or not readable, 9 record and store disagree

        """
}
