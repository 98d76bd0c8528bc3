// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
@testable import Vision

/// Tests with objects that touch each other. The expected numbers were calculated by hand.
@Suite("Separation")
struct SeparationTests {
    /// Returns discs with a radius of 20 pixels. A bar that is `bar` pixels wide connects the centres of the first and
    /// last disc.
    private func mask(discs: [Double], bar: Double = 0) -> Matrix<UInt8> {
        var mask = Matrix<UInt8>(width: 180, height: 60)
        for y in 0..<60 {
            let row = mask.mutableRow(y)
            for x in 0..<180 {
                let (column, line) = (Double(x), Double(y) - 30)
                let isBar = abs(line) <= bar / 2 && column >= discs[0] && column <= discs[discs.count - 1]
                let isDisc = discs.contains { (column - $0) * (column - $0) + line * line <= 400 }
                row[x] = isDisc || (bar > 0 && isBar) ? 255 : 0
            }
        }
        return mask
    }

    /// The centres are 39 pixels apart, so the neck is 2 · √(20² − 19.5²) ≈ 9 pixels wide. The height at the neck is
    /// less than 0.8 · 20, so the discs are separated.
    @Test("Two discs that touch are two objects of about the same area")
    func touching() throws {
        let mask = mask(discs: [40, 79])
        let parts = try mask.separated()
        #expect(parts.count == 2 && parts.map(\.count).reduce(0, +) == mask.count)
        let areas = parts.map(\.count).sorted()
        #expect(Double(areas[0]) > 0.9 * Double(areas[1]))
        #expect(parts[0][40, 30] != parts[0][79, 30] && parts[1][40, 30] != parts[1][79, 30])
    }

    @Test("One disc, discs with a wide neck, and distant discs at the ends of a bar are one object each")
    func single() throws {
        #expect(try mask(discs: [60]).separated().count == 1)
        // The centres are 10 pixels apart. The height at the neck is √(20² − 5²) ≈ 19, which exceeds 0.8 · 20.
        #expect(try mask(discs: [60, 70]).separated().count == 1)
        // The centres are 60 pixels apart, like the ends of a wrench. The limit is 1.3 · (20 + 20).
        #expect(try mask(discs: [40, 100], bar: 12).separated().count == 1)
        #expect(try Matrix<UInt8>(width: 20, height: 20).separated().isEmpty)
    }
}
