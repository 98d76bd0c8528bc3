// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Testing

@Suite("Blur and pixelate")
struct PrivacyTests {
    private static let size = (width: 27, height: 23)

    private func video(_ format: FrameFormat, crop: Rectangle? = nil) -> Video {
        let video = Video(format, width: Self.size.width, height: Self.size.height, padding: 3, crop: crop)
        video.fillAtRandom()
        return video
    }

    private func original(_ video: Video, _ bytes: [[UInt8]]) -> Video {
        Video(video.frame.format, width: Self.size.width, height: Self.size.height, like: video, bytes)
    }

    /// Returns the samples of a channel in a rectangle, row by row. Each row starts with the first sample whose pixels
    /// are in the rectangle.
    private func samples(_ video: Video, _ letter: Character, _ area: Rectangle) -> [[Double]] {
        let (columns, rows) = video.sharing(letter)
        func firsts(_ start: Int, _ count: Int, _ offset: Int, _ share: Int) -> [Int] {
            (start..<start + count).filter { $0 == start || ($0 + offset) % share == 0 }
        }
        return firsts(area.y, area.height, video.visiblePart.y, rows).map { y in
            firsts(area.x, area.width, video.visiblePart.x, columns).map { x in Double(video[letter, x, y] ?? 0) }
        }
    }

    private func box(_ row: [Double], _ radius: Int) -> [Double] {
        row.indices.map { x in
            (x - radius...x + radius).map { row[min(max($0, 0), row.count - 1)] }.reduce(0, +) / Double(2 * radius + 1)
        }
    }

    private func transposed(_ rows: [[Double]]) -> [[Double]] { rows[0].indices.map { x in rows.map { $0[x] } } }

    @Test("blur is three boxes each way, on every format", arguments: FrameFormat.all)
    func blurred(format: FrameFormat) {
        for (crop, area) in [
            (nil, Rectangle(x: 4, y: 2, width: 14, height: 12)), (nil, Rectangle(x: 0, y: 0, width: 27, height: 23)),
            (Rectangle(x: 1, y: 1, width: 24, height: 20), Rectangle(x: 3, y: 5, width: 12, height: 10)),
        ] {
            for radius in [1, 3, 8, 100] {
                let video = video(format, crop: crop)
                let before = video.bytes
                let original = original(video, before)
                video.frame.blur(.rectangle(area), radius: radius)
                for letter in video.letters where letter != "x" {
                    let (columns, rows) = video.sharing(letter)
                    var expected = samples(original, letter, area)
                    let (across, down) = (
                        min(radius / columns, expected[0].count), min(radius / rows, expected.count)
                    )
                    for _ in 0..<3 { expected = expected.map { box($0, across) } }
                    for _ in 0..<3 { expected = transposed(transposed(expected).map { box($0, down) }) }
                    let result = samples(video, letter, area)
                    let errors = zip(result, expected).flatMap { zip($0, $1).map { abs($0 - $1) } }
                    #expect((errors.max() ?? 0) < 3, "\(letter) radius \(radius)")
                }
                #expect(video.isIntactAround(before))
                if let x = video.letters.firstIndex(of: "x").map({ video.letters[$0] }) {
                    #expect(video[x, 8, 8] == original[x, 8, 8])
                }
            }
        }
    }

    @Test("pixels outside stay, and do not show inside", arguments: FrameFormat.all, [true, false])
    func separate(format: FrameFormat, isBlur: Bool) {
        let area = Rectangle(x: 6, y: 4, width: 12, height: 10)
        for region in [Region.rectangle(area), .ellipse(area)] {
            let video = video(format)
            let before = original(video, video.bytes)
            let other = original(video, video.bytes)
            for y in 0..<Self.size.height {
                for x in 0..<Self.size.width where !(x >= 6 && x < 18 && y >= 4 && y < 14) {
                    for letter in video.letters { other[letter, x, y] = 7 }
                }
            }
            for frame in [video.frame, other.frame] {
                if isBlur { frame.blur(region) } else { frame.pixelate(region) }
            }
            for letter in video.letters {
                for y in 0..<Self.size.height {
                    for x in 0..<Self.size.width {
                        if x >= 6 && x < 18 && y >= 4 && y < 14 {
                            #expect(video[letter, x, y] == other[letter, x, y])
                        } else {
                            #expect(video[letter, x, y] == before[letter, x, y])
                        }
                    }
                }
            }
            // The corner of the rectangle is outside of the ellipse.
            let isKept = video["Y", 6, 4] == before["Y", 6, 4] && video["R", 6, 4] == before["R", 6, 4]
            if case .ellipse = region { #expect(isKept) }
        }
    }

    @Test("what is plain stays as it is", arguments: FrameFormat.all)
    func plain(format: FrameFormat) {
        for level in [0, 1, 16, 128, 254, 255] as [UInt8] {
            let video = video(format)
            for letter in video.letters { video.fill(letter, level) }
            let before = video.bytes
            video.frame.blur(.rectangle(video.frame.bounds), radius: 4)
            video.frame.blur(.ellipse(video.frame.bounds), radius: 1000)
            video.frame.pixelate(.rectangle(video.frame.bounds))
            #expect(video.bytes == before)
        }
    }

    @Test("a cell has the mean of its pixels; cells begin at the region's corner", arguments: FrameFormat.all)
    func pixelated(format: FrameFormat) {
        // The longer side has 24 pixels, so 6 cells have 4 pixels each. The region begins to the left of the frame and
        // above it.
        for (x, y) in [(2, 0), (-6, -2), (-10, -4)] {
            let video = video(format)
            let original = original(video, video.bytes)
            let region = Rectangle(x: x, y: y, width: 24, height: 20)
            video.frame.pixelate(.rectangle(region), cells: 6)
            let area = region.intersection(video.frame.bounds)
            for letter in video.letters {
                for top in stride(from: y, to: y + 20, by: 4) {
                    for left in stride(from: x, to: x + 24, by: 4) {
                        let cell = Rectangle(x: left, y: top, width: 4, height: 4).intersection(area)
                        if cell.isEmpty { continue }
                        let before = samples(original, letter, cell).flatMap { $0 }
                        let after = samples(video, letter, cell).flatMap { $0 }
                        let mean = letter == "x" ? nil : before.reduce(0, +) / Double(before.count)
                        for (was, now) in zip(before, after) { #expect(abs(now - (mean ?? was)) <= 0.5) }
                    }
                }
            }
        }
    }

    @Test("by themselves, blur and pixelate leave little of any size of region")
    func nothingLeft() {
        for size in [8, 21, 60, 200] {
            let area = Rectangle(x: 3, y: 3, width: size, height: size)
            func drawn() -> Video {
                // The most visible feature of the size of a face: eight pairs of a dark and a bright stripe.
                let video = Video(.init(.gray8), width: size + 9, height: size + 9)
                for y in 0..<size + 9 {
                    for x in 0..<size + 9 {
                        video["Y", x, y] = (x * 16 / size) % 2 == 0 ? 0 : 255
                    }
                }
                return video
            }
            let blurred = drawn()
            blurred.frame.blur(.rectangle(area))
            let middle = (size / 3..<2 * size / 3).compactMap { blurred["Y", 3 + $0, 3 + size / 2] }
            #expect(Int(middle.max() ?? 255) - Int(middle.min() ?? 0) < 40)
            let pixelated = drawn()
            pixelated.frame.pixelate(.rectangle(area))
            let row = (0..<size).compactMap { pixelated["Y", 3 + $0, 3 + size / 2] }
            #expect(zip(row, row.dropFirst()).filter { $0 != $1 }.count < 6)
        }
    }
}
