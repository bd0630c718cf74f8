extension Sequence<Int64> {
    /// Row numbers as the JSON array that `json_each` takes: one parameter, however many there are.
    var numberList: String { "[" + map(String.init).joined(separator: ",") + "]" }
}
