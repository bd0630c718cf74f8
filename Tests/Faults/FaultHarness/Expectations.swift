#if STORE_FAULTS
/// What is known of a store from outside, and must stay so.
struct Expectations {
    /// Rows whose commit returned: they are there for ever.
    var acknowledged: Set<String> = []
    /// Rows whose write was undone: nobody ever sees them.
    var undone: Set<String> = []
    /// The highest generation and epoch that anybody was told of.
    var generation: Int64 = 0
    var epoch: Int64 = 0
    /// Somebody moved or removed the lock file while it may have been held: there may be two who think they own.
    var lockWasMeddledWith = false
    /// A backup was put back: versions and rows may be earlier ones.
    var wasRestored = false
    /// A migration was made to fail somewhere: its record may say so.
    var mayHaveFailed = false
    /// How often an owner came, and how often somebody was stopped or held up.
    var owners = 0
    var standings = 0
    /// Counts the times that an owner stopped newcomers; whether they are stopped now, and may be believed to be.
    var shuttings = 0
    var isShut = false
    var gateWasMeddledWith = false
    /// The files were put back to what was durable.
    var powerWasCut = false
}

/// An order that was given, and what was so at that moment.
struct Order {
    let step: Step
    var tags: [String] = []
    let before: Expectations
    let othersOwned: Bool
    let somebodyStood: Bool
}
#endif
