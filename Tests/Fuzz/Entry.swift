import StoreShared

/// Which parser this process tries; `scripts/fuzz` says it.
private let isForRecords = System.environment("STORE_FUZZ_TARGET") == "record"

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    if isForRecords { fuzzRecord(bytes) } else { fuzzLines(bytes) }
    return 0
}
