// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Filters
import Imaging

/// The value of the properties `face` and `partner-face`, which select faces by position or size.
enum FaceChoice: Sendable, Hashable {
    case all, left, right, largest
    /// The face at this position from the left; 1 is the leftmost face.
    case position(Int)

    private static let names: [(name: String, choice: FaceChoice)] = [
        ("all", .all), ("left", .left), ("right", .right), ("largest", .largest),
    ]

    /// Creates the value from a text; nil means all faces.
    /// - Throws: `ElementError` with the reason `settings` if the text is not a valid value.
    init(_ text: String?) throws { try self.init(text, of: "face") }

    /// - Parameter property: the name of the property, for the error.
    init(_ text: String?, of property: String) throws {
        let word = text ?? "all"
        if let named = Self.names.first(where: { $0.name == word.lowercased() }) {
            self = named.choice
        } else if let position = Int(word), position >= 1 {
            self = .position(position)
        } else {
            let nearest = nearestName(to: word, in: Self.names.map(\.name)).map { " Did you mean \"\($0)\"?" } ?? ""
            throw ElementError(
                .settings,
                "\(property)=\(word): unknown value. Use all, left, right, largest, or a number (1 = the leftmost "
                    + "face).\(nearest)")
        }
    }

    /// Returns the selected faces.
    /// - Parameters:
    ///   - faces: the faces of the frame, the largest first.
    ///   - box: returns the box of a face.
    func chosen<Item>(of faces: [Item], box: (Item) -> Rectangle) -> ArraySlice<Item> {
        func middle(_ face: Item) -> Int { 2 * box(face).x + box(face).width }
        // Of two faces at the same position, the larger face comes first.
        func fromLeft() -> [Item] {
            faces.enumerated().sorted { (middle($0.1), $0.0) < (middle($1.1), $1.0) }.map(\.element)
        }
        switch self {
        case .all: return faces[...]
        case .largest: return faces.prefix(1)
        case .left: return fromLeft().prefix(1)
        case .right: return fromLeft().suffix(1)
        case .position(let position): return fromLeft().dropFirst(position - 1).prefix(1)
        }
    }

    /// Returns the faces for a layout. With `replace`, these are the selected faces; with other layouts, the selected
    /// face and then the remaining faces. Empty if the frame has no face at the selected position.
    /// - Parameter faces: the faces of the frame, the largest first.
    func faces(of faces: [Detection], for layout: FaceMerge.Layout) -> [Detection] {
        let chosen = chosen(of: faces, box: \.box)
        guard layout != .replace, let first = chosen.first, self != .all else { return Array(chosen) }
        var others = faces
        if let index = faces.firstIndex(where: { $0.id == first.id && $0.box == first.box }) {
            others.remove(at: index)
        }
        return [first] + others
    }
}
