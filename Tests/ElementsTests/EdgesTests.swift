// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import COpenCVCheck
@testable import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("svedges")
struct EdgesElementTests {
    private static func harness(_ properties: [(String, String)] = [], like frame: TestFrame) throws -> Harness {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        return try Harness("svedges", properties, like: frame)
    }

    /// Draws coloured shapes on a gradient.
    private static func picture(_ format: PixelFormat, _ width: Int, _ height: Int) -> TestFrame {
        TestFrame(format, width, height) { x, y in
            let inDisc = (x - width / 3) * (x - width / 3) + (y - height / 2) * (y - height / 2) < height * height / 9
            let inBar = x > width * 2 / 3 && y > height / 4
            let color =
                inDisc
                ? Color(red: 200, green: 60, blue: 90)
                : inBar ? Color(red: 30, green: 160, blue: 220) : Color(gray: UInt8(clamping: 40 + x + y / 2))
            return color.pixel(format)
        }
    }

    /// Returns the edges that OpenCV detects.
    private static func edges(
        _ gray: [UInt8], _ width: Int, _ height: Int, sigma: Double = 0, low: Double = 10, high: Double = 50,
        aperture: Int32 = 3, euclidean: Bool = false
    ) throws -> [UInt8] {
        var edges = [UInt8](repeating: 0, count: width * height)
        let status = sv_check_canny(
            gray, Int32(width), Int32(height), width, sigma, low, high, aperture, euclidean ? 1 : 0, &edges)
        guard status == 0 else { throw TestFailure("OpenCV failed") }
        return edges
    }

    /// Returns the luma as OpenCV computes it: (9798 R + 19235 G + 3735 B) / 2¹⁵, rounded.
    private static func luma(_ frame: TestFrame) -> [UInt8] {
        (0..<frame.height).flatMap { y in
            (0..<frame.width).map { x in
                let color = frame.color(x, y)
                if frame.format.isGray { return UInt8(color.red) }
                let sum = 9798 * Int(color.red) + 19235 * Int(color.green) + 3735 * Int(color.blue)
                return UInt8((sum + 16384) >> 15)
            }
        }
    }

    // MARK: - Edges found

    @Test(
        "The very edges of OpenCV with the same numbers",
        arguments: [
            ([], 0, 10, 50, 3, false), ([("low-threshold", "100"), ("high-threshold", "30")], 0, 100, 30, 3, false),
            ([("aperture", "5"), ("low-threshold", "300"), ("high-threshold", "900")], 0, 300, 900, 5, false),
            ([("aperture", "7"), ("low-threshold", "3000"), ("high-threshold", "9000")], 0, 3000, 9000, 7, false),
            ([("l2-gradient", "true")], 0, 10, 50, 3, true), ([("blur", "1.4")], 1.4, 10, 50, 3, false),
            ([("blur", "2"), ("l2-gradient", "true"), ("aperture", "5")], 2, 10, 50, 5, true),
        ] as [([(String, String)], Double, Double, Double, Int32, Bool)])
    func openCV(
        _ properties: [(String, String)], _ sigma: Double, _ low: Double, _ high: Double, _ aperture: Int32,
        _ euclidean: Bool
    ) throws {
        for format in [PixelFormat.gray8, .bgrx, .rgb] {
            let frame = Self.picture(format, 97, 63)
            let edges = try Self.edges(
                Self.luma(frame), 97, 63, sigma: sigma, low: low, high: high, aperture: aperture, euclidean: euclidean)
            let expected = frame.mapColors { x, y, _, _ in edges[y * 97 + x] }
            #expect(edges.filter { $0 != 0 }.count > 50)
            #expect(try Self.harness(properties, like: frame).process(frame) == expected)
        }
    }

    @Test("Every packed format, odd sizes, rows with padding", arguments: PixelFormat.all)
    func formats(_ format: PixelFormat) throws {
        for (width, height) in [(1, 1), (7, 5), (65, 31)] {
            let frame = Self.picture(format, width, height)
            let edges = try Self.edges(Self.luma(frame), width, height)
            for (show, expected) in [
                ("edges", frame.mapColors { x, y, _, _ in edges[y * width + x] }),
                ("sketch", frame.mapColors { x, y, _, _ in 255 - edges[y * width + x] }),
                (
                    "overlay",
                    frame.map { x, y, pixel in
                        guard edges[y * width + x] != 0 else { return pixel }
                        // Rec. 601 luma of the colour.
                        var drawn = Color(red: 255, green: 128, blue: 0).pixel(format)
                        if format.isGray { drawn = [151] }
                        if let place = format.padding { drawn[place] = pixel[place] }
                        return drawn
                    }
                ),
            ] {
                let harness = try Self.harness([("show", show), ("edge-color", "0xffff8000")], like: frame)
                #expect(try harness.process(frame) == expected, "\(show) \(width)")
                let padded = try frame.buffer(padded: .init(offset: 16, row: 12))
                #expect(try harness.shown(harness.process(giving: padded.reference)) == expected, "\(show) \(width)")
            }
        }
    }

    @Test("YUV: edges of luma as it is stored", arguments: FrameFormat.allYUV)
    func yuv(_ format: FrameFormat) throws {
        let (width, height) = (67, 41)
        let frame = Self.picture(.bgra, width, height)
        for show in ["edges", "overlay"] {
            let line = try pipeline(
                "appsrc name=in format=time caps=\(frame.caps()) ! videoconvert ! video/x-raw,format=\(format.name) "
                    + "! tee name=t ! queue ! svedges show=\(show) ! videoconvert ! video/x-raw,format=GRAY8 "
                    + "! appsink name=out sync=false  t. ! queue ! appsink name=plain sync=false")
            try line.play()
            try line.push(frame, into: "in", at: 0)
            let plain = try #require(try line.pullBuffer("plain")).buffer
            let shown = try #require(try line.pull()).frame
            try line.end("in")
            let luma = try Self.luma(of: plain, format, width, height)
            let edges = try Self.edges(luma, width, height)
            if show == "edges" {
                #expect(shown.bytes.map { $0 > 127 ? 255 : 0 } == edges)
            } else {
                // Green has luma 145 in the range 16…235. videoconvert copies this value to grey without a change.
                #expect(Set(zip(shown.bytes, edges).filter { $0.1 != 0 }.map { $0.0 }) == [145])
                let others = zip(zip(shown.bytes, luma), edges).filter { $0.1 == 0 }
                #expect(others.allSatisfy { $0.0.0 == $0.0.1 })
            }
        }
    }

    /// Returns the luma from GStreamer's tables.
    private static func luma(
        of buffer: Buffer, _ format: FrameFormat, _ width: Int, _ height: Int
    ) throws -> [UInt8] {
        let memory = try FrameMemory(format, width, height)
        let bytes = TestFrame.memory(of: buffer)
        let (step, first) = format.name == "YUY2" ? (2, 0) : format.name == "UYVY" ? (2, 1) : (1, 0)
        return (0..<height).flatMap { y in
            (0..<width).map { x in bytes[Int(memory.info.stride.0) * y + step * x + first] }
        }
    }

    @Test("Automatic thresholds follow the median, and mean the same for each aperture")
    func automatic() throws {
        let frame = Self.picture(.gray8, 80, 60)
        let sorted = frame.bytes.sorted()
        let median = Double(sorted[(sorted.count - 1) / 2])
        #expect(median > 20)
        for (aperture, scale) in [(3, 1.0), (5, 12), (7, 160)] {
            let edges = try Self.edges(
                frame.bytes, 80, 60, low: median * 2 / 3 * scale, high: median * 4 / 3 * scale,
                aperture: Int32(aperture))
            let harness = try Self.harness([("auto-threshold", "true"), ("aperture", "\(aperture)")], like: frame)
            #expect(try harness.process(frame).bytes == edges)
        }
        // In dark images, the median counts as at least 16.
        let dark = frame.mapColors { _, _, _, value in value / 12 }
        let edges = try Self.edges(dark.bytes, 80, 60, low: 32.0 / 3, high: 64.0 / 3)
        #expect(try Self.harness([("auto-threshold", "true")], like: dark).process(dark).bytes == edges)
    }

    @Test("A colour without opacity draws nothing, and a shared buffer is not drawn on")
    func untouched() throws {
        let frame = Self.picture(.rgba, 40, 30)
        let clear = try Self.harness([("show", "overlay"), ("edge-color", "0x00ffffff")], like: frame)
        #expect(try clear.process(frame) == frame)
        let harness = try Self.harness(like: frame)
        let kept = try frame.buffer()
        #expect(harness.push(kept) == GST_FLOW_OK)
        #expect(try harness.shown(harness.pull()) != frame)
        #expect(try harness.shown(kept) == frame)
    }

    // MARK: - Soundness

    @Test("Apertures that there are not are refused")
    func apertures() throws {
        let frame = Self.picture(.gray8, 20, 20)
        let harness = try Self.harness(like: frame)
        for wrong in ["4", "1", "31", "-3"] {
            harness.element.set("aperture", wrong)
            #expect(harness.element.number("aperture") == 3)
        }
        harness.element.set("aperture", "7")
        #expect(harness.element.number("aperture") == 7)
        _ = try harness.process(frame)
    }

    @Test("Properties at random from threads while it plays, and sizes that change")
    func random() throws {
        let frames = [Self.picture(.bgra, 64, 48), Self.picture(.gray8, 1, 9), Self.picture(.rgb, 129, 5)]
        let harness = try Self.harness(like: frames[0])
        let element = harness.element
        let threads = (0..<2).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(seed) &* 1000 &+ UInt64(round))
                func any(_ texts: [String]) -> String { texts[Int(random.next() % UInt64(texts.count))] }
                switch random.next() % 6 {
                case 0: element.set("low-threshold", any(["0", "10", "1e6"]))
                case 1: element.set("high-threshold", any(["0", "50", "1e6"]))
                case 2: element.set("aperture", any(["3", "5", "7"]))
                case 3: element.set(any(["l2-gradient", "auto-threshold"]), value: random.next() % 2 == 0)
                case 4: element.set("blur", any(["0", "0.01", "3", "20"]))
                default:
                    element.set("show", any(["edges", "overlay", "sketch"]))
                    element.set("edge-color", value: UInt32(truncatingIfNeeded: random.next()))
                }
                g_usleep(100)
            }
        }
        for number in 0..<90 {
            let frame = frames[number / 30]
            if number % 30 == 0 { harness.renegotiate(like: frame) }
            _ = try harness.process(frame, at: UInt64(number) * 40_000_000)
        }
        for thread in threads { thread.stop() }
        #expect(harness.bus.pending(GST_MESSAGE_ERROR, GST_MESSAGE_WARNING).isEmpty)
    }
}
