/// A filter as it is declared, once: its name, its parameters, and what it does to a picture in terms of the operations
/// that chains are compiled from. Its formula or paper is given where it is declared.
package struct Filter: Sendable {
    package enum Category: String, CaseIterable, Sendable {
        case blur, sharpen, distortion, geometry, stylize, halftone, tile, overlay
        case colorAdjustment = "color-adjustment"
        case colorEffect = "color-effect"
    }

    /// The name in chains.
    package let name: String
    package let category: Category
    /// One line for users.
    package let summary: String
    package let parameters: [FilterParameter]
    /// Operations for some values of its parameters.
    let operations: @Sendable (FilterValues) -> [FilterOperation]

    init(
        _ name: String, _ category: Category, _ summary: String, _ parameters: [FilterParameter] = [],
        operations: @escaping @Sendable (FilterValues) -> [FilterOperation]
    ) {
        self.name = name
        self.category = category
        self.summary = summary
        self.parameters = parameters
        self.operations = operations
    }

    /// The filter of this name, if there is one.
    package init?(name: String) {
        guard let filter = Self.all.first(where: { $0.name == name }) else { return nil }
        self = filter
    }

    /// Every filter, by categories.
    package static let all: [Filter] =
        blurs + colorAdjustments + colorEffects + sharpeners + distortions + geometry + stylizers + halftones + tiles
        + overlays
}

/// A parameter of a filter.
package struct FilterParameter: Sendable {
    package enum Kind: Sendable {
        /// A real or whole number within a range.
        case number(in: ClosedRange<Double>, default: Double, isWhole: Bool)
        /// 0xRRGGBB
        case color(default: UInt32)
        /// One of some words, the first by default.
        case choice([String])
        /// The path of a .cube file.
        case cubeFile
    }

    package let name: String
    package let kind: Kind
    /// Unit of numbers: "px", "degrees", … Empty for shares and factors.
    package let unit: String
    /// One line for users.
    package let blurb: String

    static func number(
        _ name: String, in range: ClosedRange<Double>, default value: Double, unit: String = "", _ blurb: String
    ) -> FilterParameter {
        FilterParameter(
            name: name, kind: .number(in: range, default: value, isWhole: false), unit: unit, blurb: blurb)
    }

    static func whole(
        _ name: String, in range: ClosedRange<Int>, default value: Int, unit: String = "", _ blurb: String
    ) -> FilterParameter {
        let range = Double(range.lowerBound)...Double(range.upperBound)
        return FilterParameter(
            name: name, kind: .number(in: range, default: Double(value), isWhole: true), unit: unit, blurb: blurb)
    }

    static func color(_ name: String, default value: UInt32, _ blurb: String) -> FilterParameter {
        FilterParameter(name: name, kind: .color(default: value), unit: "", blurb: blurb)
    }

    static func choice(_ name: String, _ words: [String], _ blurb: String) -> FilterParameter {
        FilterParameter(name: name, kind: .choice(words), unit: "", blurb: blurb)
    }

    static func cubeFile(_ name: String, _ blurb: String) -> FilterParameter {
        FilterParameter(name: name, kind: .cubeFile, unit: "", blurb: blurb)
    }

    /// The value if none is given.
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
    /// 0xRRGGBB
    case color(UInt32)
    case word(String)
    case cube(ColorCube?)
}

/// The values of a filter's parameters at one moment, by their names.
package struct FilterValues: Sendable, Hashable {
    private let names: [String]
    let values: [FilterValue]

    /// - Parameter values: as many as there are parameters, and of their kinds.
    init(_ parameters: [FilterParameter], _ values: [FilterValue]) {
        names = parameters.map(\.name)
        self.values = values
    }

    private func value(_ name: String) -> FilterValue? {
        guard let index = names.firstIndex(of: name), index < values.count else { return nil }
        return values[index]
    }

    /// A number; 0 for values that are not numbers.
    package subscript(_ name: String) -> Double {
        guard case .number(let number)? = value(name) else { return 0 }
        return number
    }

    func whole(_ name: String) -> Int { floored(self[name] + 0.5) }

    func color(_ name: String) -> RealColor {
        guard case .color(let color)? = value(name) else { return RealColor(0, 0, 0) }
        return RealColor(hex: color)
    }

    func word(_ name: String) -> String {
        guard case .word(let word)? = value(name) else { return "" }
        return word
    }

    func cube(_ name: String) -> ColorCube? {
        guard case .cube(let cube)? = value(name) else { return nil }
        return cube
    }
}

/// Red, green and blue, 0…1 and beyond, as encoded in the frame's bytes.
package struct RealColor: Sendable, Hashable {
    package var red: Double
    package var green: Double
    package var blue: Double

    package init(_ red: Double, _ green: Double, _ blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// 0xRRGGBB
    package init(hex: UInt32) {
        self.init(
            Double((hex >> 16) & 255) / 255, Double((hex >> 8) & 255) / 255, Double(hex & 255) / 255)
    }
}
