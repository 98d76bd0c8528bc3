// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import Synchronization
import TestSupport
import Testing

/// Tests of the stages of a search that svblobdetect shows and logs.
@Suite("svblobdetect: stages")
struct BlobStageTests {
    /// A red square of 80 pixels on paper. Its hard shadow removes half of the light, and is 40 pixels farther right
    /// and 30 pixels farther down.
    private static let scene = TestFrame(.bgra, 320, 240) { x, y in
        if (80..<160).contains(x), (60..<140).contains(y) { return Color(red: 160, green: 32, blue: 32).pixel(.bgra) }
        let isShadow = (120..<200).contains(x) && (90..<170).contains(y)
        return Color(gray: isShadow ? 112 : 224).pixel(.bgra)
    }

    private func harness(_ properties: [(String, String)]) throws -> Harness {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        return try Harness("svblobdetect", [("draw", "false")] + properties, like: Self.scene)
    }

    @Test("show=shadows shows a removed shadow in blue, the thing in white and the ground in black")
    func shadow() throws {
        let shown = try harness([("show", "shadows")]).process(Self.scene)
        let blue = Color(red: 0, green: 0x72, blue: 0xB2)
        // These positions are below and to the right of the object.
        #expect(shown.color(140, 155) == blue && shown.color(180, 130) == blue)
        #expect(shown.color(120, 100) == Color(gray: 255))
        #expect(shown.color(10, 10) == Color(gray: 0) && shown.color(300, 200) == Color(gray: 0))
        let kept = try harness([("show", "shadows"), ("shadows", "keep")]).process(Self.scene)
        #expect(kept.color(140, 155) == Color(gray: 255))
    }

    private final class LogLines: Sendable {
        let all = Mutex<[(level: GstDebugLevel, text: String)]>([])
    }

    @Test("The log contains the time of each stage at the level LOG, and not at higher levels")
    func times() throws {
        let harness = try harness([])
        let lines = LogLines()
        let data = Unmanaged.passUnretained(lines).toOpaque()
        gst_debug_add_log_function(
            { category, level, _, _, _, _, message, data in
                guard let category, String(cString: gst_debug_category_get_name(category)) == "svblobdetect",
                    let message, let data, let text = gst_debug_message_get(message)
                else { return }
                let lines = Unmanaged<LogLines>.fromOpaque(data).takeUnretainedValue()
                lines.all.withLock { $0.append((level, String(cString: text))) }
            }, data, nil)
        gst_debug_set_threshold_for_name("svblobdetect", GST_LEVEL_LOG)
        defer {
            gst_debug_remove_log_function_by_data(data)
            gst_debug_unset_threshold_for_name("svblobdetect")
        }
        _ = try harness.process(Self.scene)
        let times = lines.all.withLock { $0 }.filter { $0.text.contains("closer views") }
        #expect(!times.isEmpty && times.allSatisfy { $0.level == GST_LEVEL_LOG })
        let stages = ["reduction", "background", "shadows", "candidates", "closer views"]
        let format = try Regex(stages.map { "\($0) \\d+ µs" }.joined(separator: ", "))
        #expect(times.contains { $0.text.wholeMatch(of: format) != nil }, "\(times)")
    }
}
