// SPDX-License-Identifier: LGPL-2.1-or-later
/// Returns the optimal string alignment distance: the smallest number of changes that turn the word `a` into the word
/// `b`. A change inserts, deletes or replaces a letter, or swaps two adjacent letters.
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

/// Returns the name that the user probably meant. A name matches if the word differs from it by at most two letters, or
/// by at most a third of the letters of the name. A word of at least three letters also matches a name that begins with
/// the word, a name with which the word begins, and a name that contains the word as a part between hyphens. Returns
/// nil if no name matches.
package func nearestName(to word: String, in names: [String]) -> String? {
    let word = word.lowercased()
    let longest = names.map(\.count).max() ?? 0
    // A word that is much longer than all names has a large distance from each of them. So do not compute the
    // distances, because a very long word would take too much time.
    let isNear = word.count <= longest + max(2, longest / 3)
    let best = isNear ? names.min { distance(word, $0) < distance(word, $1) } : nil
    if let best, distance(word, best) <= max(2, best.count / 3) { return best }
    guard word.count >= 3 else { return nil }
    return names.first { name in name.split(separator: "-").contains { $0 == word } }
        ?? names.first { $0.hasPrefix(word) || word.hasPrefix($0) }
}

/// Returns the names that are most similar to a word, the most similar name first.
package func nearestNames(to word: String, in names: [String], count: Int) -> [String] {
    let word = word.lowercased()
    let best = nearestName(to: word, in: names)
    // Use only the beginning of the word, because a very long word would take too much time.
    let start = String(word.prefix(1 + (names.map(\.count).max() ?? 0)))
    let distances = names.map { (name: $0, distance: $0 == best ? -1 : distance(start, $0)) }
    return distances.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(max(0, count)).map(\.name)
}

/// Returns the error message for an unknown name. If a similar name exists, the message suggests it.
package func unknown(_ what: String, _ name: String, among names: [String]) -> String {
    if let nearest = nearestName(to: name, in: names) {
        return "unknown \(what) \"\(name)\". Did you mean \"\(nearest)\"?"
    }
    guard !names.isEmpty, names.count <= 12 else { return "unknown \(what) \"\(name)\"" }
    return "unknown \(what) \"\(name)\". Use one of: \(names.joined(separator: ", "))."
}
