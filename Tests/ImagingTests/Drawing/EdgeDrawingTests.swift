// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Testing

/// VisionTests compare the detected edges with OpenCV. These tests check how edges are drawn.
@Suite("Edges: drawing")
struct EdgeDrawingTests {
    /// Returns a finder that has searched an image with a bright rectangle of 70 columns and 9 rows. Its edges are in
    /// two 64-bit words.
    private func finder(_ width: Int = 90, _ height: Int = 21) -> EdgeFinder {
        let picture = Picture(.gray8, width: width, height: height, padding: 7)
        picture.fill { x, y in (10..<80).contains(x) && (6..<15).contains(y) ? 200 : 40 }
        let finder = EdgeFinder()
        finder.find(in: picture.image, .init(low: 50, high: 100))
        return finder
    }

    @Test("A square's edges are its outline, closed and one pixel thick")
    func outline() {
        let finder = finder()
        let edges = (0..<21).map { y in (0..<90).filter { finder.isEdge(x: $0, y: y) } }
        #expect(edges[10].count == 2 && edges[10][0] >= 9 && edges[10][0] <= 10)
        #expect(edges.filter { $0.count > 60 }.count == 2)
        #expect(!finder.isEdge(x: -1, y: 0) && !finder.isEdge(x: 90, y: 6) && !finder.isEdge(x: 0, y: 21))
    }

    @Test("Edges alone, black or white, in every format", arguments: FrameFormat.all, [false, true])
    func plain(_ format: FrameFormat, _ blackOnWhite: Bool) throws {
        let finder = finder(91, 21)
        for (colorimetry, crop) in [
            (nil, nil), (Colorimetry(.bt709, isFullRange: true), Rectangle(x: 1, y: 1, width: 91, height: 21)),
        ] {
            let video = Video(
                format, width: crop == nil ? 91 : 93, height: crop == nil ? 21 : 23, padding: 3, crop: crop,
                colorimetry: colorimetry)
            video.fillAtRandom()
            let before = video.bytes
            finder.draw(on: video.frame, blackOnWhite: blackOnWhite)
            let (black, white): (UInt8, UInt8) = format.isYUV && colorimetry == nil ? (16, 235) : (0, 255)
            let after = video.bytes
            video.restore(before)
            let kept = video.letters.filter { $0 == "A" || $0 == "x" }.map { letter in
                (letter, (0..<21).map { y in (0..<91).map { video[letter, $0, y] } })
            }
            video.restore(after)
            var wrong = 0
            for y in 0..<21 {
                for x in 0..<91 {
                    let isWhite = finder.isEdge(x: x, y: y) != blackOnWhite
                    for letter in video.letters where letter != "A" && letter != "x" {
                        let expected = letter == "U" || letter == "V" ? 128 : isWhite ? white : black
                        if video[letter, x, y] != expected { wrong += 1 }
                    }
                    for (letter, bytes) in kept where video[letter, x, y] != bytes[y][x] { wrong += 1 }
                }
            }
            #expect(wrong == 0)
            #expect(video.isIntactAround(before))
        }
    }

    @Test("Over the picture, in a colour, in every format", arguments: FrameFormat.all, [UInt32(0xFF), 0x80])
    func overlay(_ format: FrameFormat, _ alpha: UInt32) throws {
        let finder = finder(91, 21)
        let color: UInt32 = 0x20C0_60
        for crop in [nil, Rectangle(x: 3, y: 1, width: 91, height: 21)] {
            let video = Video(
                format, width: crop == nil ? 91 : 97, height: crop == nil ? 21 : 25, padding: 3, crop: crop)
            video.fillAtRandom()
            let before = video.bytes
            var old: [Character: [[UInt8?]]] = [:]
            for letter in video.letters {
                old[letter] = (0..<21).map { y in (0..<91).map { video[letter, $0, y] } }
            }
            finder.draw(on: video.frame, color: Color(argb: alpha << 24 | color))
            let space = Colorimetry(.bt601, isFullRange: format.isGray)
            var worst = 0.0
            for letter in video.letters {
                for y in 0..<21 {
                    for x in 0..<91 {
                        let sharers = video.sharers(letter, x, y)
                        let covered = sharers.filter { finder.isEdge(x: $0.x, y: $0.y) }.count
                        let b = Double(try #require(old[letter]?[y][x]))
                        let found = Double(try #require(video[letter, x, y]))
                        if letter == "x" {
                            worst = max(worst, abs(found - b) * 100)
                        } else if sharers.count == video.sharing(letter).columns * video.sharing(letter).rows {
                            let weight = Double(covered) / Double(sharers.count) * Double(alpha) / 255
                            worst = max(worst, abs(found - (b + (Samples.of(color, letter, space) - b) * weight)))
                        }
                    }
                }
            }
            #expect(worst <= 1.5)
            #expect(video.isIntactAround(before))
        }
    }

    @Test("Frames of another size: what both have; nothing found, nothing drawn")
    func sizes() {
        let finder = finder()
        let small = Picture(.bgra, width: 30, height: 5, padding: 3)
        finder.draw(on: FrameImage(small.image), blackOnWhite: false)
        finder.draw(on: FrameImage(small.image), color: .white)
        #expect(small.isIntactAround)
        let empty = EdgeFinder()
        empty.find(in: small.image, .init(low: 1, high: 2))
        let before = small.bytes
        empty.draw(on: FrameImage(small.image), color: .white)
        empty.draw(on: FrameImage(small.image), blackOnWhite: true)
        #expect(small.bytes == before && empty.width == 0)
    }
}
