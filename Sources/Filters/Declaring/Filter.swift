// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// The declaration of a filter: its name, its parameters and its operations. The comment above each declaration
/// contains the formula of the filter, or the paper that describes it.
package struct Filter: Sendable {
    package enum Category: String, CaseIterable, Sendable {
        case blur, sharpen, distortion, geometry, stylize, halftone, tile, overlay
        case colorAdjustment = "color-adjustment"
        case colorEffect = "color-effect"
    }

    /// The name of the filter in the text of a chain.
    package let name: String
    package let category: Category
    /// A one-line description for users.
    package let summary: String
    package let parameters: [FilterParameter]
    /// Returns the operations of the filter for the given values of its parameters.
    let operations: @Sendable (ArraySlice<FilterValue>) -> [FilterOperation]

    /// - Parameter operations: returns the operations of the filter. Its arguments are the values of `parameters`, in
    ///   the same order.
    @_semantics("optimize.sil.specialize.generic.never")
    init<each Value>(
        _ name: String, _ category: Category, _ summary: String, _ parameters: repeat TypedParameter<each Value>,
        operations: @escaping @Sendable (repeat each Value) -> [FilterOperation]
    ) {
        let all = TypedParameter(repeat each parameters, value: operations)
        (self.name, self.category, self.summary) = (name, category, summary)
        (self.parameters, self.operations) = (all.declared, all.value)
    }

    /// Creates the filter with this name. Returns nil if the name is unknown.
    package init?(name: String) {
        guard let filter = Self.all.first(where: { $0.name == name }) else { return nil }
        self = filter
    }

    /// All filters, ordered by category.
    package static let all: [Filter] =
        blurs + colorAdjustments + colorEffects + sharpeners + distortions + geometry + stylizers + halftones + tiles
        + overlays
}

extension Filter: Hashable {
    // The names of filters are unique, so comparing them is sufficient.
    package static func == (a: Filter, b: Filter) -> Bool { a.name == b.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A parameter of a filter.
package struct FilterParameter: Sendable {
    package enum Kind: Sendable {
        /// A real or whole number within a range.
        case number(in: ClosedRange<Double>, default: Double, isInteger: Bool)
        /// A colour. The default is a number 0xRRGGBB.
        case color(default: UInt32)
        /// A word from this list. The first word is the default.
        case choice([String])
        /// The path of a .cube file.
        case cubeFile
    }

    package let name: String
    package let kind: Kind
    /// Unit of a number: "px", "degrees", … Empty for fractions and factors.
    package let unit: String
    /// A one-line description for users.
    package let blurb: String

    package var defaultValue: FilterValue {
        switch kind {
        case .number(_, let value, _): .number(value)
        case .color(let value): .color(value)
        case .choice(let words): .word(words.first ?? "")
        case .cubeFile: .cube(nil)
        }
    }
}

/// The value of a parameter.
package enum FilterValue: Sendable, Hashable {
    case number(Double)
    /// A colour as a number 0xRRGGBB.
    case color(UInt32)
    case word(String)
    case cube(ColorCube?)
}

/// Red, green and blue as real numbers. Byte values of the frame are divided by 255, so the usual range is 0…1.
/// Intermediate values may exceed this range.
package struct RealColor: Sendable, Hashable {
    package var red: Double
    package var green: Double
    package var blue: Double

    package init(_ red: Double, _ green: Double, _ blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// Creates the colour from a number 0xRRGGBB.
    package init(hex: UInt32) {
        self.init(Double((hex >> 16) & 255) / 255, Double((hex >> 8) & 255) / 255, Double(hex & 255) / 255)
    }

    var channels: [Double] { [red, green, blue] }
}
