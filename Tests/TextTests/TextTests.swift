// SPDX-License-Identifier: LGPL-2.1-or-later
import CPango
import Drawing
import Imaging
import Testing
import Text

@Suite("Texts")
struct TextTests {
    @Test("sizes follow the font, the letters and the lines")
    func sizes() throws {
        let painter = try painter()
        let one = try #require(painter.stamp("face", color: white)).bounds
        #expect((20...40).contains(one.height) && (20...80).contains(one.width))
        for (text, lines) in [("Ág", 1), (".", 1), ("face\nface", 2), ("face\r\nface\nface", 3)] {
            let stamp = try #require(painter.stamp(text, color: white))
            #expect(abs(stamp.bounds.height - lines * one.height) < lines)
        }
        let twice = try #require(painter.stamp("faceface", color: white)).bounds
        #expect(abs(twice.width - 2 * one.width) <= 1)
        let outlined = try #require(painter.stamp("face", color: white, outline: 3)).bounds
        #expect([outlined.width, outlined.height] == [one.width + 6, one.height + 6])
    }

    @Test(
        "points are 4/3 pixels, sizes end at 1 and 500 pixels",
        arguments: [
            ("Sans 15", "Sans 20px"), ("Sans", "Sans 12"), ("", "Sans 16px"), ("Sans 0", "Sans 1px"),
            ("Sans 0.0001px", "Sans 1px"), ("Sans 999999", "Sans 500px"),
        ])
    func fontSizes(font: String, same: String) throws {
        let stamps = try [font, same].map { try #require(try painter($0).stamp("A", color: white)) }
        #expect(stamps[0].bounds == stamps[1].bounds)
    }

    @Test(
        "a font without a size has the usual one",
        arguments: [
            ("Sans", 30.0, "Sans 30px"), ("", 11, "Sans 11px"), ("Sans 15", 40, "Sans 20px"), ("Sans", 0, "Sans 1px"),
            ("Sans", 1e9, "Sans 500px"), ("Sans", .nan, "Sans 1px"),
        ])
    func usualSize(font: String, usual: Double, same: String) throws {
        let tested = try #require(TextPainter(font: font, usualSize: usual))
        #expect(
            try tested.stamp("A", color: white)?.bounds == painter(same).stamp("A", color: white)?.bounds)
    }

    @Test("Letters have their shape as it is shown, whatever the pixels", arguments: [2.0, 0.5, 64 / 45.0])
    func pixelAspect(ratio: Double) throws {
        let aspects = [2: PixelAspect(2, 1), 0.5: PixelAspect(1, 2), 64 / 45.0: PixelAspect(64, 45)]
        let aspect = try #require(aspects[ratio])
        let squeezed = try #require(TextPainter(font: "Sans 20px", pixelAspect: aspect))
        let square = try painter("Sans 20px")
        for outline in [0, 3] {
            let (one, other) = (
                try #require(squeezed.stamp("face 0.93", color: white, outline: outline)).bounds,
                try #require(square.stamp("face 0.93", color: white, outline: outline)).bounds
            )
            #expect(one.height == other.height)
            #expect(abs(Double(one.width) * ratio - Double(other.width)) <= ratio, "\(one.width) \(other.width)")
        }
        // The maximum width is in pixels of the frame.
        let cut = try #require(squeezed.stamp("a long text that is cut off", color: white, maximumWidth: 60)).bounds
        #expect(cut.width <= 60 && cut.width > 30)
    }

    @Test(
        "colours by the names that CSS has",
        arguments: [
            ("yellow", 0xFFFF_FF00), ("RebeccaPurple", 0xFF66_3399), ("DarkOliveGreen", 0xFF55_6B2F),
            ("red", 0xFFFF_0000),
            ("", nil), ("#ff0000", nil), ("reddish", nil), ("1", nil), ("ярко", nil),
        ] as [(String, Color?)])
    func colors(name: String, expected: Color?) {
        #expect(Text.color(named: name) == expected)
    }

    @Test("the same pixels from any painter, on any thread")
    func threads() async throws {
        let texts = ["face 0.93", "Ελληνικά", "שלום", "two\nlines"]
        @Sendable func pictures() throws -> [[[UInt8]]] {
            let painter = try painter()
            return try texts.map { try #require(painter.stamp($0, color: 0xFF_20_C0_40, outline: 1)).drawn(on: 90) }
        }
        let expected = try pictures()
        try await withThrowingTaskGroup(of: [[[UInt8]]].self) { group in
            for _ in 0..<8 { group.addTask { try pictures() } }
            for try await result in group { #expect(result == expected) }
        }
    }

    @Test("scripts differ, and the machine has fonts for the common ones")
    func scripts() throws {
        let painter = try painter()
        var seen: [String: [UInt8]] = [:]
        for text in ["face Åß", "πρόσωπο", "лицо", "פנים", "وجه", "चेहरा", "ใบหน้า", "中文", "🙂", "★"] {
            let coverage = try #require(painter.stamp(text, color: white)).coverage
            #expect(coverage.contains { $0 > 200 }, "\(text)")
            #expect(!seen.values.contains(coverage), "\(text)")
            seen[text] = coverage
        }
        // fonts-dejavu-core has these letters. Pango counts the letters that it would draw as boxes.
        let map = try #require(pango_cairo_font_map_new())
        let context = try #require(pango_font_map_create_context(map))
        let layout = try #require(pango_layout_new(context))
        for text in ["face Åß", "πρόσωπο", "лицо", "פנים", "وجه"] {
            pango_layout_set_text(layout, text, -1)
            let unknown = pango_layout_get_unknown_glyphs_count(layout)
            #expect(unknown == 0, "\(text)")
        }
        for object in [layout, context] { g_object_unref(UnsafeMutableRawPointer(object)) }
        g_object_unref(map)
    }

    @Test("text runs from right to left where it should")
    func direction() throws {
        let painter = try painter()
        let override = try #require(painter.stamp("\u{202E}IO", color: white)).coverage
        let forward = try #require(painter.stamp("OI", color: white)).coverage
        let backward = try #require(painter.stamp("IO", color: white)).coverage
        #expect(override == forward && override != backward)
        // A narrow letter (vav) is above wide letters (final mem). The first letter must be on the right.
        let stamp = try #require(painter.stamp("ו\nםםםםםםםם", color: white))
        let (width, coverage) = (stamp.bounds.width, stamp.coverage)
        let columns = Set((0..<stamp.bounds.height / 2 * width).filter { coverage[$0] > 100 }.map { $0 % width })
        #expect(columns.allSatisfy { $0 > width / 2 } && !columns.isEmpty)
    }

    @Test("colour and alpha")
    func color() throws {
        let painter = try painter()
        // The character "full block" covers its centre completely.
        func middle(_ color: Color, on level: UInt8) throws -> [UInt8] {
            let block = try #require(painter.stamp("█", color: color))
            return block.drawn(on: level)[block.bounds.height / 2 * block.bounds.width + block.bounds.width / 2]
        }
        #expect(try middle(0xFF_10_80_F0, on: 77) == [0xF0, 0x80, 0x10, 255])
        let half = try middle(0x80_FF_00_00, on: 100)
        // 100 + (255 − 100) · 128 / 255 and 100 − 100 · 128 / 255
        for (value, right) in zip(half, [50, 50, 178]) { #expect(abs(Int(value) - right) <= 1) }
        #expect(try middle(0x00_FF_00_00, on: 100) == [100, 100, 100, 100])
    }

    @Test("an outline is dark around light letters and light around dark ones")
    func outline() throws {
        let painter = try painter("Sans Bold 30px")
        for (color, letter, rim) in [(white, 255, 0), (0xFF_00_00_00, 0, 255)] as [(Color, UInt8, UInt8)] {
            let plain = try #require(painter.stamp("O", color: color))
            let outlined = try #require(painter.stamp("O", color: color, outline: 2))
            let pixels = outlined.drawn(on: 128).map { $0[0] }
            #expect(pixels.contains(letter) && pixels.contains(rim) && pixels.contains(128))
            // The outline does not change the letter itself.
            let before = plain.coverage
            for y in 0..<plain.bounds.height {
                for x in 0..<plain.bounds.width where before[y * plain.bounds.width + x] == 255 {
                    #expect(pixels[(y + 2) * outlined.bounds.width + x + 2] == letter)
                }
            }
            #expect(!plain.drawn(on: 128).contains { $0[0] == rim })
        }
        // With less opacity, the outline is not visible inside the letters.
        let faded = try #require(painter.stamp("█", color: 0x80_FF_FF_FF, outline: 2))
        let middle = faded.bounds.height / 2 * faded.bounds.width + faded.bounds.width / 2
        #expect(abs(Int(faded.drawn(on: 0)[middle][0]) - 128) <= 1)
    }

    @Test("an outline does not change letters of pixels that are twice as wide as high")
    func outlineOfWidePixels() throws {
        let painter = try #require(TextPainter(font: "Sans Bold 30px", pixelAspect: PixelAspect(2, 1)))
        let plain = try #require(painter.stamp("word", color: white))
        // An outline of two rows is one column wide.
        let outlined = try #require(painter.stamp("word", color: white, outline: 2))
        let (before, after) = (plain.coverage, outlined.drawn(on: 128))
        var (full, wrong) = (0, 0)
        for y in 0..<plain.bounds.height {
            for x in 0..<plain.bounds.width where before[y * plain.bounds.width + x] == 255 {
                full += 1
                if after[(y + 2) * outlined.bounds.width + x + 1][0] != 255 { wrong += 1 }
            }
        }
        #expect(full > 0 && wrong == 0, "\(wrong) of \(full)")
    }

    @Test("texts that are too wide are cut off, line by line")
    func ellipsis() throws {
        let painter = try painter()
        let text = "a name that is far too long"
        let whole = try #require(painter.stamp(text, color: white)).bounds
        for outline in [0, 4] {
            let cut = try #require(painter.stamp(text, color: white, outline: outline, maximumWidth: 100))
            #expect((80...100).contains(cut.bounds.width) && cut.bounds.height == whole.height + 2 * outline)
            let other = try #require(
                painter.stamp(text + "er", color: white, outline: outline, maximumWidth: 100))
            #expect(cut.coverage == other.coverage)
        }
        let exact = try #require(painter.stamp(text, color: white, maximumWidth: whole.width))
        #expect(exact.bounds == whole)
        let lines = try #require(painter.stamp("ab\n" + text, color: white, maximumWidth: 100)).bounds
        #expect(abs(lines.height - 2 * whole.height) <= 1)
    }

    @Test("letters that reach out of their place are whole", arguments: ["Sans 40px", "Sans Italic 40px"])
    func overhang(font: String) throws {
        let painter = try painter(font)
        // The expected height includes spaces and empty lines.
        for text in ["j", "f", "T", "A\u{302}\u{303}\u{304}"] {
            let sums = try [text, "\n  \(text)  \n"].map {
                try #require(painter.stamp($0, color: white)).coverage.reduce(0) { $0 + Int($1) }
            }
            #expect(sums[0] == sums[1] && sums[0] > 0, "\(text)")
        }
    }

    // MARK: - Input of any kind

    @Test("control characters are blanks")
    func controls() throws {
        let painter = try painter()
        let blank = try #require(painter.stamp("a b", color: white)).coverage
        for text in ["a\0b", "a\u{1}b", "a\u{1B}b", "a\u{7F}b", "a\u{85}b"] {
            #expect(try #require(painter.stamp(text, color: white)).coverage == blank)
        }
    }

    @Test("nothing to draw, no room")
    func nothing() throws {
        let painter = try painter()
        for text in ["", "\n", "\r\n\n"] { #expect(painter.stamp(text, color: white) == nil) }
        for width in [Int.min, -1, 0] { #expect(painter.stamp("a", color: white, maximumWidth: width) == nil) }
        #expect(painter.stamp("a", color: white, outline: 5, maximumWidth: 10) == nil)
        #expect(painter.stamp("a", color: white, maximumWidth: 1)?.bounds.width == 1)
        let widest = try #require(painter.stamp("a", color: white, maximumWidth: .max))
        #expect(widest.bounds == painter.stamp("a", color: white)?.bounds)
        #expect(painter.stamp("a", color: white, outline: .min)?.bounds == widest.bounds)
        #expect(painter.stamp("a", color: white, outline: .max)?.bounds.width == widest.bounds.width + 200)
    }

    @Test("texts and fonts beyond all bounds")
    func excess() throws {
        let large = try painter("Sans 999999")
        let side = TextPainter.largestSide
        #expect(try #require(large.stamp(String(repeating: "W", count: 100_000), color: white)).bounds.width <= side)
        #expect(try #require(large.stamp(String(repeating: "i\n", count: 500), color: white)).bounds.height == side)

        let small = try painter("Sans 8px")
        // This is one character with many combining marks.
        let line = try #require(small.stamp("a", color: white)).bounds.height
        let marks = "a" + String(repeating: "\u{301}", count: 100_000)
        #expect(try #require(small.stamp(marks, color: white)).bounds.height <= line + 16)
        // The text is truncated to 1000 scalars and an ellipsis. Further scalars make no difference.
        let narrow = String(repeating: "i", count: TextPainter.longestText)
        let longer = try #require(small.stamp(narrow + "ii", color: white))
        #expect(longer === small.stamp(narrow + "WW", color: white))
        #expect(longer.bounds.width > (small.stamp(narrow, color: white)?.bounds.width ?? .max))
    }

    @Test("fonts that are none")
    func fonts() throws {
        for font in ["nonsuch 16px", "\0", "Sans nan", "Sans -5", "Sans 12 @x=1e99", "🙂", ",,,"] {
            #expect(try #require(try painter(font).stamp("face", color: white)).coverage.contains(255))
        }
    }
}
