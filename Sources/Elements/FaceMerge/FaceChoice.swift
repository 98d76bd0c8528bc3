// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Filters
import Imaging

/// A choice among the faces of a frame, by their places in it.
enum FaceChoice: Sendable, Hashable {
    case all, left, right, largest
    /// The one at this place, from 1 on, counted from the left.
    case place(Int)

    private static let names: [(name: String, choice: FaceChoice)] = [
        ("all", .all), ("left", .left), ("right", .right), ("largest", .largest),
    ]

    /// Creates the choice that a text names; nil is all.
    /// - Throws: `ElementError` library/settings for any other text.
    init(_ text: String?) throws {
        let word = text ?? "all"
        if let named = Self.names.first(where: { $0.name == word.lowercased() }) {
            self = named.choice
        } else if let place = Int(word), place >= 1 {
            self = .place(place)
        } else {
            let nearest = nearestName(to: word, in: Self.names.map(\.name)).map { " Did you mean \"\($0)\"?" } ?? ""
            throw ElementError(
                .settings,
                "face=\(word): unknown value. Use all, left, right, largest, or a number (1 = the leftmost "
                    + "face).\(nearest)")
        }
    }

    /// Returns the faces that are chosen.
    /// - Parameter faces: the frame's, the largest first.
    private func chosen(of faces: [Detection]) -> ArraySlice<Detection> {
        func middle(_ face: Detection) -> Int { 2 * face.box.x + face.box.width }
        // Of two that are equally far the larger one comes first.
        func fromLeft() -> [Detection] {
            faces.enumerated().sorted { (middle($0.1), $0.0) < (middle($1.1), $1.0) }.map(\.element)
        }
        switch self {
        case .all: return faces[...]
        case .largest: return faces.prefix(1)
        case .left: return fromLeft().prefix(1)
        case .right: return fromLeft().suffix(1)
        case .place(let place): return fromLeft().dropFirst(place - 1).prefix(1)
        }
    }

    /// Returns the faces that a layout works on: with `replace` those that are chosen; else the chosen one first, and the
    /// others behind it. None if nobody is in the chosen place.
    /// - Parameter faces: the frame's, the largest first.
    func faces(of faces: [Detection], for layout: FaceMerge.Layout) -> [Detection] {
        let chosen = chosen(of: faces)
        guard layout != .replace, let first = chosen.first, self != .all else { return Array(chosen) }
        var rest = faces
        if let index = faces.firstIndex(where: { $0.id == first.id && $0.box == first.box }) { rest.remove(at: index) }
        return [first] + rest
    }
}
