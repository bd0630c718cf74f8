import StoreShared

/// Counts rows and lets the observer know, at most ten times a second.
final class MigrationProgress {
    private let observer: (MigrationEvent) -> Void
    private let cancellation: Cancellation
    private(set) var rowsDone: Int64 = 0
    private(set) var rowsTotal: Int64 = 0
    /// How far the batches of the stage are committed; nil before they have been counted.
    var batches: (done: Int64, total: Int64)?
    private var nextReport = Deadline.now
    private var nextHeartbeat = Deadline.now

    init(cancellation: Cancellation, observer: @escaping (MigrationEvent) -> Void) {
        self.cancellation = cancellation
        self.observer = observer
    }

    /// Counts for nobody: for trials in memory.
    static var silent: MigrationProgress { MigrationProgress(cancellation: Cancellation(), observer: { _ in }) }

    func begin(stage: PlannedStage, index: Int, count: Int) {
        rowsDone = 0
        rowsTotal = 0
        batches = nil
        observer(.stage(index: index, count: count, name: stage.name, from: stage.from, to: stage.to))
    }

    func expect(rows: Int64) { rowsTotal += rows }

    /// Tells what the store is now, after a commit.
    func committed(_ metadata: StoreMetadata) { observer(.committed(metadata)) }

    func warn(_ text: String) { observer(.warning(text)) }

    /// Lets time pass, alive and ready to stop.
    func pause(_ duration: Duration) throws {
        let end = Deadline.after(duration)
        while !end.hasPassed {
            System.sleep(min(end.left ?? duration, .milliseconds(50)))
            _ = tick()
            try check()
        }
    }

    func advance(rows: Int) throws {
        rowsDone += Int64(rows)
        rowsTotal = max(rowsTotal, rowsDone)
        if nextReport.hasPassed { report() }
        try check()
    }

    /// Tells the last count of a stage, whenever the one before was.
    func report() {
        nextReport = .after(.milliseconds(100))
        nextHeartbeat = .after(.milliseconds(500))
        observer(.progress(rowsDone: rowsDone, rowsTotal: rowsTotal))
    }

    func backup(pagesDone: Int, pagesTotal: Int) throws {
        if nextReport.hasPassed || pagesDone == pagesTotal {
            nextReport = .after(.milliseconds(100))
            nextHeartbeat = .after(.milliseconds(500))
            observer(.backup(pagesDone: pagesDone, pagesTotal: pagesTotal))
        }
        try check()
    }

    /// For SQLite's progress handler.
    ///
    /// - Returns: false when the running statement is to be interrupted.
    func tick() -> Bool {
        if nextHeartbeat.hasPassed {
            nextHeartbeat = .after(.milliseconds(500))
            observer(.heartbeat)
        }
        return !cancellation.isCancelled
    }

    func check() throws {
        if cancellation.isCancelled {
            throw StoreError(.cancelled, "the migration was stopped", remedy: "start it again")
        }
    }
}
