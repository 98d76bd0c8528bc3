// SPDX-License-Identifier: LGPL-2.1-or-later
// Medians of square windows by sorting networks. A sorting network is a fixed sequence of comparisons and swaps,
// without branches.

@inline(__always)
private func middle(_ a: Float, _ b: Float, _ c: Float) -> Float { greater(lesser(a, b), lesser(greater(a, b), c)) }

extension RowKernels {
    /// Computes the median of 3 x 3 pixels of a plane. First sorts each column. Then returns the median of three
    /// values: the largest of the column minimums, the median of the column medians, and the smallest of the column
    /// maximums.
    /// - Parameters:
    ///   - above, here, below: three rows with the pixels −1 to `count`.
    ///   - columns: scratch memory for three rows of `count` + 2 values, `plane` floats apart.
    ///   - output: `count` floats. Must not overlap the inputs.
    @inline(never)
    package func median3(
        _ above: UnsafePointer<Float>, _ here: UnsafePointer<Float>, _ below: UnsafePointer<Float>,
        columns: UnsafeMutablePointer<Float>, plane: Int, into output: UnsafeMutablePointer<Float>, count: Int
    ) {
        var i = 0
        while i < count &+ 2 {
            var (low, middle, high) = (above[i &- 1], here[i &- 1], below[i &- 1])
            order(&low, &middle)
            order(&middle, &high)
            order(&low, &middle)
            columns[i] = low
            columns[i &+ plane] = middle
            columns[i &+ 2 &* plane] = high
            i &+= 1
        }
        i = 0
        while i < count {
            let low = greater(columns[i], greater(columns[i &+ 1], columns[i &+ 2]))
            let k = i &+ plane
            let between = middle(columns[k], columns[k &+ 1], columns[k &+ 2])
            let h = k &+ plane
            output[i] = middle(low, between, lesser(columns[h], lesser(columns[h &+ 1], columns[h &+ 2])))
            i &+= 1
        }
    }
}

/// Swaps `a` and `b` if `a` is greater than `b`.
@inline(__always)
private func order(_ a: inout Float, _ b: inout Float) { (a, b) = (lesser(a, b), greater(a, b)) }

/// Sorts five values by a sorting network with nine comparisons, the minimum for five values.
@inline(__always)
private func sort(_ a: inout Float, _ b: inout Float, _ c: inout Float, _ d: inout Float, _ e: inout Float) {
    order(&a, &d)
    order(&b, &e)
    order(&a, &c)
    order(&b, &d)
    order(&a, &b)
    order(&c, &e)
    order(&b, &c)
    order(&d, &e)
    order(&c, &d)
}

extension RowKernels {
    /// Computes the median of 5 x 5 pixels of a plane.
    ///
    /// Sorts the five columns of the 25 pixels, and then the five rows of the result. After this, 6 of the 25 values
    /// are certainly not above the median, and 6 values are certainly not below the median. `middle` computes the
    /// median of the other 13 values.
    /// - Parameters:
    ///   - rows: the first of five rows, with the pixels −2 to `count` + 1. The next parameters are the other four
    ///     rows.
    ///   - output: `count` floats. Must not overlap the rows.
    @inline(never)
    package func median5(
        _ rows: UnsafePointer<Float>, _ second: UnsafePointer<Float>, _ third: UnsafePointer<Float>,
        _ fourth: UnsafePointer<Float>, _ fifth: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>,
        count: Int
    ) {
        var i = 0
        while i < count {
            var a = column(rows, second, third, fourth, fifth, i &- 2)
            var b = column(rows, second, third, fourth, fifth, i &- 1)
            var c = column(rows, second, third, fourth, fifth, i)
            var d = column(rows, second, third, fourth, fifth, i &+ 1)
            var e = column(rows, second, third, fourth, fifth, i &+ 2)
            sort(&a.0, &b.0, &c.0, &d.0, &e.0)
            sort(&a.1, &b.1, &c.1, &d.1, &e.1)
            sort(&a.2, &b.2, &c.2, &d.2, &e.2)
            sort(&a.3, &b.3, &c.3, &d.3, &e.3)
            sort(&a.4, &b.4, &c.4, &d.4, &e.4)
            output[i] = middle(
                (d.0, e.0, c.1, d.1, e.1, b.2, c.2, d.2), (a.3, b.3, c.3, a.4, b.4))
            i &+= 1
        }
    }
}

private typealias Five = (Float, Float, Float, Float, Float)

@inline(__always)
private func column(
    _ one: UnsafePointer<Float>, _ two: UnsafePointer<Float>, _ three: UnsafePointer<Float>,
    _ four: UnsafePointer<Float>, _ five: UnsafePointer<Float>, _ i: Int
) -> Five {
    var values = (one[i], two[i], three[i], four[i], five[i])
    sort(&values.0, &values.1, &values.2, &values.3, &values.4)
    return values
}

/// Returns the median of 13 values. Six values are below the median, and six are above. So in a group of eight values,
/// the smallest and the largest cannot be the median. Each round removes these two values, and adds one of the other
/// values to the group. So the group becomes smaller by one in each round.
@inline(__always)
private func middle(
    _ eight: (Float, Float, Float, Float, Float, Float, Float, Float), _ others: Five
) -> Float {
    var v = eight
    order(&v.0, &v.1)
    order(&v.2, &v.3)
    order(&v.4, &v.5)
    order(&v.6, &v.7)
    order(&v.0, &v.2)
    order(&v.4, &v.6)
    order(&v.0, &v.4)
    order(&v.1, &v.3)
    order(&v.5, &v.7)
    order(&v.3, &v.7)
    // v.0 is now the smallest value, and v.7 is the largest value. The next round replaces v.0 and ignores v.7.
    v.0 = others.0
    order(&v.0, &v.1)
    order(&v.2, &v.3)
    order(&v.4, &v.5)
    order(&v.0, &v.2)
    order(&v.4, &v.6)
    order(&v.0, &v.4)
    order(&v.1, &v.3)
    order(&v.5, &v.6)
    order(&v.3, &v.6)
    v.0 = others.1
    order(&v.0, &v.1)
    order(&v.2, &v.3)
    order(&v.4, &v.5)
    order(&v.0, &v.2)
    order(&v.0, &v.4)
    order(&v.1, &v.3)
    order(&v.3, &v.5)
    v.0 = others.2
    order(&v.0, &v.1)
    order(&v.2, &v.3)
    order(&v.0, &v.2)
    order(&v.0, &v.4)
    order(&v.1, &v.3)
    order(&v.3, &v.4)
    v.0 = others.3
    order(&v.0, &v.1)
    order(&v.2, &v.3)
    order(&v.0, &v.2)
    order(&v.1, &v.3)
    return middle(v.1, v.2, others.4)
}
