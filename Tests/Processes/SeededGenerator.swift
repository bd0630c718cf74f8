import Foundation

/// Random numbers that come out the same for the same seed: SplitMix64.
///
/// The seed is printed, and taken from the environment variable `STOREKEEPER_SEED` to repeat a run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(for test: String) {
        let seed = ProcessInfo.processInfo.environment["STOREKEEPER_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...999_999)
        print("\(test): STOREKEEPER_SEED=\(seed)")
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var result = state
        result = (result ^ (result >> 30)) &* 0xbf58_476d_1ce4_e5b9
        result = (result ^ (result >> 27)) &* 0x94d0_49bb_1331_11eb
        return result ^ (result >> 31)
    }
}
