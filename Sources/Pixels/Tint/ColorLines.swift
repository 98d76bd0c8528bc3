/// Changes of red, green and blue: each is multiplied and added to.
package struct ColorLines: Sendable, Equatable {
    /// value · factor + summand, for values 0…255.
    package struct Line: Sendable, Equatable {
        package var factor: Double
        package var summand: Double

        package init(factor: Double = 1, summand: Double = 0) {
            self.factor = factor
            self.summand = summand
        }

        /// The line without infinities, NaN, or numbers so large that sums lose what matters.
        var sound: Line {
            func sound(_ value: Double) -> Double { value.isNaN ? 0 : min(65536, max(-65536, value)) }
            return Line(factor: sound(factor), summand: sound(summand))
        }

        /// The value that a byte gets: rounded to the nearest of 0…255, halves up, and also what falls short of a half by a
        /// binary fraction's last bits, as 5 · 0.7 does.
        func value(_ byte: Int) -> Double {
            max(0, min(255, Double(byte) * factor + summand + 1e-9)).rounded()
        }
    }

    package var red: Line
    package var green: Line
    package var blue: Line

    package init(red: Line = Line(), green: Line = Line(), blue: Line = Line()) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Factors alone.
    package init(red: Double, green: Double, blue: Double) {
        self.init(red: Line(factor: red), green: Line(factor: green), blue: Line(factor: blue))
    }

    /// True if nothing changes.
    package var isIdentity: Bool { self == ColorLines() }

    /// Change of grey: the luma (BT.601) of what red, green and blue become.
    var gray: Line {
        Line(
            factor: 0.299 * red.factor + 0.587 * green.factor + 0.114 * blue.factor,
            summand: 0.299 * red.summand + 0.587 * green.summand + 0.114 * blue.summand)
    }

    /// Returns lines that apply these first, then the others.
    package func followed(by other: ColorLines) -> ColorLines {
        func join(_ first: Line, _ second: Line) -> Line {
            Line(factor: first.factor * second.factor, summand: first.summand * second.factor + second.summand)
        }
        return ColorLines(
            red: join(red, other.red), green: join(green, other.green), blue: join(blue, other.blue))
    }

    /// Returns lines that are a share of the way towards others.
    /// - Parameter share: 0…1.
    package func moved(towards other: ColorLines, by share: Double) -> ColorLines {
        func move(_ from: Line, _ to: Line) -> Line {
            Line(
                factor: from.factor + (to.factor - from.factor) * share,
                summand: from.summand + (to.summand - from.summand) * share)
        }
        return ColorLines(
            red: move(red, other.red), green: move(green, other.green), blue: move(blue, other.blue))
    }
}

extension ColorLines.Line {
    /// Numbers with which single precision gives exactly the result of `value` for every byte.
    ///
    /// The products of a line with 0…255, rounded, are a digital line; those lines with the same roundings are a polygon
    /// of factors and summands which spans at least 1 / (255 · 254) of the factors, and in its midst has a height of at
    /// least 1 / 255 in the summands (M. D. McIlroy, A note on discrete representation of lines, AT&T Technical Journal
    /// 64, 1985). So where the line itself is too near the polygon's border for single precision, one nearby is not.
    var inSinglePrecision: (factor: Float, summand: Float) {
        let line = sound
        var best = (factor: Float(line.factor), summand: Float(line.summand))
        var widest = -1.0
        for step in 0..<64 {
            let side: Double = step.isMultiple(of: 2) ? 1 : -1
            let factor = Float(line.factor + side * Double((step + 1) / 2) / 1_048_576)
            var (lowest, highest) = (line.summand - 0.5, line.summand + 0.5)
            for byte in 0...255 {
                let (value, product) = (line.value(byte), Double(Float(byte) * factor))
                if value > 0 { lowest = max(lowest, value - 0.5 - product) }
                if value < 255 { highest = min(highest, value + 0.5 - product) }
            }
            if highest - lowest > widest {
                widest = highest - lowest
                best = (factor, Float((lowest + highest) / 2))
            }
            if widest > 0.001 { break }
        }
        return best
    }
}
