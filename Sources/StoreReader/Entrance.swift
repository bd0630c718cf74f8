import StoreShared

/// What a read passes, so that an owner can have nobody inside.
enum Entrance {
    /// Of every process.
    case gate(Gate)
    /// Of the owner's own process.
    case own(OwnReaders)

    /// - Returns: false when an owner let nobody in for that long.
    func enter(within duration: Duration) -> Bool {
        switch self {
        case .gate(let gate): gate.enter(within: duration)
        case .own(let own): own.enter(within: duration)
        }
    }

    /// Goes in past an owner that lets nobody in, which is as correct, except through an exclusive stage: look for one afterwards.
    ///
    /// - Returns: whether it has to leave all the same. In another process the kernel's table of locks names who is inside.
    func enterUnasked() -> Bool {
        switch self {
        case .gate: return false
        case .own(let own):
            own.enterUnasked()
            return true
        }
    }

    func leave() {
        switch self {
        case .gate(let gate): gate.leave()
        case .own(let own): own.leave()
        }
    }
}
