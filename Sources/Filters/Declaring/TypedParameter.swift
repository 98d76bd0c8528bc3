// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// One or several parameters of a filter, and a conversion of their values to a Swift type. The function that returns
/// the filter's operations gets the converted values as arguments. So the name of a parameter is written only once.
struct TypedParameter<Value>: Sendable {
    let declared: [FilterParameter]
    /// Converts the values of the parameters in `declared` to the Swift type.
    let value: @Sendable (ArraySlice<FilterValue>) -> Value

    /// - Parameter value: converts a parsed value to the Swift type. If the parsed value has another type, `value`
    ///   returns nil, and the default is used.
    init(
        _ name: String, _ kind: FilterParameter.Kind, unit: String = "", _ blurb: String, default initial: Value,
        value: @escaping @Sendable (FilterValue) -> Value?
    ) where Value: Sendable {
        declared = [FilterParameter(name: name, kind: kind, unit: unit, blurb: blurb)]
        self.value = { $0.first.flatMap(value) ?? initial }
    }

    /// Combines several parameters into one value. The attribute prevents a specialised function for each combination
    /// of types, because such functions would only increase the size of the code.
    @_semantics("optimize.sil.specialize.generic.never")
    init<each Part>(
        _ parts: repeat TypedParameter<each Part>, value: @escaping @Sendable (repeat each Part) -> Value
    ) {
        var declared: [FilterParameter] = []
        for part in repeat each parts { declared += part.declared }
        self.declared = declared
        let parts = (repeat each parts)
        self.value = { values in
            var remaining = values
            return value(repeat (each parts).next(from: &remaining))
        }
    }

    private func next(from values: inout ArraySlice<FilterValue>) -> Value {
        defer { values = values.dropFirst(declared.count) }
        return value(values.prefix(declared.count))
    }
}

// Functions by which filters declare their parameters.
extension Filter {
    static func number(
        _ name: String, in range: ClosedRange<Double>, default initial: Double, unit: String = "", _ blurb: String
    ) -> TypedParameter<Double> {
        let kind = FilterParameter.Kind.number(in: range, default: initial, isInteger: false)
        return TypedParameter(name, kind, unit: unit, blurb, default: initial) { value in
            if case .number(let number) = value { number } else { nil }
        }
    }

    static func integer(
        _ name: String, in range: ClosedRange<Int>, default initial: Int, unit: String = "", _ blurb: String
    ) -> TypedParameter<Int> {
        let kind = FilterParameter.Kind.number(
            in: Double(range.lowerBound)...Double(range.upperBound), default: Double(initial), isInteger: true)
        return TypedParameter(name, kind, unit: unit, blurb, default: initial) { value in
            if case .number(let number) = value { floored(number + 0.5) } else { nil }
        }
    }

    /// - Parameter initial: the default colour, 0xRRGGBB.
    static func color(_ name: String, default initial: UInt32, _ blurb: String) -> TypedParameter<RealColor> {
        TypedParameter(name, .color(default: initial), blurb, default: RealColor(hex: initial)) { value in
            if case .color(let color) = value { RealColor(hex: color) } else { nil }
        }
    }

    /// - Parameter initial: the default. It must be the first case of the type, because the first word of a choice is
    ///   its default.
    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, default initial: Choice, _ blurb: String
    ) -> TypedParameter<Choice> {
        TypedParameter(name, .choice(Choice.allCases.map(\.rawValue)), blurb, default: initial) { value in
            if case .word(let word) = value { Choice(rawValue: word) } else { nil }
        }
    }

    static func cubeFile(_ name: String, _ blurb: String) -> TypedParameter<ColorCube?> {
        TypedParameter(name, .cubeFile, blurb, default: nil) { value in
            if case .cube(let cube) = value { cube } else { nil }
        }
    }
}
