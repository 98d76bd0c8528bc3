import CGStreamer

/// The first path of a numbered series that does not exist yet.
/// - Parameter pattern: a path with `%d`, or `%05d` for at least five digits; without either it is taken as it is.
package func firstFree(_ pattern: String) -> String {
    guard let number = pattern.firstMatch(of: /%(?:0([1-9]))?d/) else { return pattern }
    let digits = number.1.flatMap { Int($0) } ?? 1
    for index in 0..<1_000_000 {
        let text = String(index)
        let padded = String(repeating: "0", count: max(0, digits - text.count)) + text
        let path = pattern[..<number.range.lowerBound] + padded + pattern[number.range.upperBound...]
        if g_file_test(String(path), G_FILE_TEST_EXISTS) == 0 { return String(path) }
    }
    return pattern
}
