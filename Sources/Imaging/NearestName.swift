// SPDX-License-Identifier: LGPL-2.1-or-later
/// Returns the number of letters to insert, leave out, replace or exchange with the next one to get from one word to
/// another (the optimal string alignment distance).
private func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for (i, letter) in a.enumerated() {
        var row = [i + 1]
        for (j, other) in b.enumerated() {
            var best = min(last[j] + (letter == other ? 0 : 1), last[j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, letter == b[j - 1], a[i - 1] == other { best = min(best, beforeLast[j - 1] + 1) }
            row.append(best)
        }
        (beforeLast, last) = (last, row)
    }
    return last[b.count]
}

/// The name that was probably meant, if one is near enough: at most every third letter differs, or the one is a part of
/// the other.
package func nearestName(to word: String, in names: [String]) -> String? {
    let word = word.lowercased()
    let longest = names.map(\.count).max() ?? 0
    // From a longer word too many letters would have to be left out; texts of any length come here.
    let isNear = word.count <= longest + max(2, longest / 3)
    let best = isNear ? names.min { distance(word, $0) < distance(word, $1) } : nil
    if let best, distance(word, best) <= max(2, best.count / 3) { return best }
    guard word.count >= 3 else { return nil }
    return names.first { name in name.split(separator: "-").contains { $0 == word } }
        ?? names.first { $0.hasPrefix(word) || word.hasPrefix($0) }
}

/// Returns a message that there is no such name, and which one was probably meant.
package func unknown(_ what: String, _ name: String, among names: [String]) -> String {
    if let nearest = nearestName(to: name, in: names) {
        return "unknown \(what) \"\(name)\". Did you mean \"\(nearest)\"?"
    }
    guard !names.isEmpty, names.count <= 12 else { return "unknown \(what) \"\(name)\"" }
    return "unknown \(what) \"\(name)\". Use one of: \(names.joined(separator: ", "))."
}
