import StoreShared

/// Which parser this process tries; `scripts/fuzz` says it.
private let isForRecords = System.environment("STORE_FUZZ_TARGET") == "record"

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    if isForRecords { fuzzRecord(bytes) } else { fuzzLines(bytes) }
    return 0
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>, _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// SwiftPM has an executable's main under this name, and libFuzzer's own is not taken then.
@_cdecl("store_fuzz_main") public func fuzzMain(
    _ count: CInt, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var (count, words) = (count, words)
    return runFuzzer(&count, &words) { fuzzOne($0, $1) }
}
