import CGStreamer

/// Hands out the paths of a numbered series: none twice, and none that exists.
package struct NumberedFiles: Sendable {
    private var pattern = ""
    private var index = 0

    package init() {}

    /// - Parameter pattern: a path with `%d`, or `%05d` for at least five digits; without either it is taken as it is.
    package mutating func next(_ pattern: String) -> String {
        guard let number = pattern.firstMatch(of: /%(?:0([1-9]))?d/) else { return pattern }
        if pattern != self.pattern {
            self.pattern = pattern
            index = 0
        }
        let digits = number.1.flatMap { Int($0) } ?? 1
        while true {
            let text = String(index)
            let padded = String(repeating: "0", count: max(0, digits - text.count)) + text
            let path = pattern[..<number.range.lowerBound] + padded + pattern[number.range.upperBound...]
            index += 1
            if g_file_test(String(path), G_FILE_TEST_EXISTS) == 0 { return String(path) }
        }
    }
}
