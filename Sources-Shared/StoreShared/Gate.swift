/// The turnstile and the gate, for draining only: correctness never depends on them.
///
/// A reader passes the turnstile and holds the gate, shared, for one transaction. An owner that needs the store without
/// readers takes the turnstile, which stops newcomers, and then the gate, which waits for those inside: a plain exclusive
/// lock would starve for ever behind overlapping shared ones. An instance is one holder, used by one thread at a time.
package final class Gate {
    private static let turnstile: Int64 = 0
    private static let gate: Int64 = 1
    private let file: Descriptor
    private let path: String
    /// Those in the owner's process, for the owner.
    private let own: OwnReaders?
    private var stopsOwn = false

    /// Opens the lock file of a store; only the owner makes it.
    ///
    /// - Returns: nil for a reader where there is no such file, or none that it may open: there is nothing to pass then.
    package init?(reader location: StoreLocation) {
        path = location.gateLock
        guard let file = try? System.open(path, [.read, .nonBlocking]) else { return nil }
        self.file = file
        own = nil
    }

    /// Opens the lock file of a store and makes it where it is missing.
    package init(owner location: StoreLocation) throws {
        path = location.gateLock
        own = OwnReaders.of(location)
        do {
            let mode = location.fileMode
            file = try System.open(path, [.readWrite, .create], mode: mode)
            try location.giveToStoreOwner(file, path: path)
            // The mask for new files must not lock readers out.
            if try System.stat(file, path: path).permissions != mode { try System.setMode(file, mode, path: path) }
        } catch {
            throw StoreError(
                .system, "the gate \(path) cannot be opened", remedy: error.remedy ?? "see the cause", path: path,
                cause: error)
        }
    }

    deinit { stopOwn(false) }

    /// Passes the turnstile and holds the gate until `leave`.
    ///
    /// - Returns: false when an owner kept it shut for that long; the caller may go on without it, except through an
    ///   exclusive stage.
    package func enter(within duration: Duration = .milliseconds(250)) -> Bool {
        if pass() { return true }
        let deadline = Deadline.after(duration)
        while !deadline.hasPassed {
            System.sleep(.milliseconds(1))
            if pass() { return true }
        }
        return false
    }

    package func leave() {
        set(Self.gate, .none)
    }

    /// Stops newcomers and waits for the readers inside.
    ///
    /// - Parameter whenNobodyComes: called in between.
    /// - Returns: false when they were not out in time; newcomers are let in again then.
    package func shut(within duration: Duration, whenNobodyComes: () -> Void = {}) -> Bool {
        let deadline = Deadline.after(duration)
        stopOwn(true)
        guard stopNewcomers(until: deadline) else {
            stopOwn(false)
            return false
        }
        whenNobodyComes()
        guard take(Self.gate, until: deadline), own?.waitUntilOut(until: deadline) != false else {
            open()
            return false
        }
        return true
    }

    private func stopNewcomers(until deadline: Deadline) -> Bool {
        #if STORE_FAULTS
        if Planted.noTurnstile.isOrdered { return true }
        #endif
        return take(Self.turnstile, until: deadline)
    }

    /// Lets readers in again.
    package func open() {
        set(Self.gate, .none)
        set(Self.turnstile, .none)
        stopOwn(false)
    }

    private func stopOwn(_ stops: Bool) {
        guard stops != stopsOwn else { return }
        stopsOwn = stops
        if stops { own?.stopNewcomers() } else { own?.letIn() }
    }

    private func pass() -> Bool {
        guard set(Self.turnstile, .shared) else { return false }
        defer { set(Self.turnstile, .none) }
        return set(Self.gate, .shared)
    }

    private func take(_ byte: Int64, until deadline: Deadline) -> Bool {
        while !set(byte, .exclusive) {
            if deadline.hasPassed { return false }
            System.sleep(.milliseconds(1))
        }
        return true
    }

    @discardableResult
    private func set(_ byte: Int64, _ lock: System.Lock) -> Bool {
        (try? System.setLock(file, lock, byte: byte, path: path)) ?? false
    }
}
