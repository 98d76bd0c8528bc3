// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Elements
import Foundation
import Synchronization
import TestSupport

/// The child process, which runs the cases.
enum Child {
    /// Messages that GLib has logged during the cases and that are signs of an error.
    private static let complaints = Mutex<[String]>([])

    static func run(_ options: Options, seed: UInt64, _ progress: Progress) throws {
        guard GStreamer.isReady else { throw TestFailure("no elements") }
        g_log_set_default_handler(
            { domain, level, text, _ in
                let wrong = G_LOG_LEVEL_ERROR.rawValue | G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_WARNING.rawValue
                guard level.rawValue & wrong != 0, let text else { return }
                let line = "\(domain.map { String(cString: $0) } ?? "") \(String(cString: text))"
                Child.complaints.withLock { $0.append(line) }
            }, nil)
        gst_debug_set_default_threshold(GST_LEVEL_NONE)
        let goods = try Goods()
        var warmUp = try ElementCase("svtestscene", goods, Dice(seed: 1))
        warmUp.run()
        complaints.withLock { $0 = [] }
        let start = now(CLOCK_MONOTONIC)
        var number = options.first
        while options.cases.map({ number < $0 }) ?? true {
            // The time limit starts with the first child.
            if let seconds = options.seconds, Double(now(CLOCK_MONOTONIC) - start) / 1e9 > seconds { break }
            (progress.next, progress.isRunning) = (number + 1, true)
            let kind = options.kind(number)
            alarm(UInt32(max(1, options.limit * 5)))
            let (begun, used) = (now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID))
            var wrong: [String] = []
            do {
                if let text = try runCase(kind, seed: seed &+ number, goods) { wrong.append(text) }
            } catch {
                wrong.append("\(error)")
            }
            alarm(0)
            progress.isRunning = false
            let time = Double(now(CLOCK_PROCESS_CPUTIME_ID) - used) / 1e9
            if time > options.limit { wrong.append("took \(time) s") }
            wrong += complaints.withLock { lines in
                defer { lines = [] }
                return lines.filter { line in !foreign.contains { line.contains($0) } }
            }
            if !wrong.isEmpty {
                progress.findings += 1
                report(kind, seed: seed &+ number, wrong.joined(separator: "; "))
            }
            progress.count(kind, nanoseconds: now(CLOCK_MONOTONIC) - begun)
            number += 1
            if number.isMultiple(of: 64) { goods.cleanUp() }
        }
    }

    /// Parts of messages whose cause is a stock element or a library, not this project.
    private static let foreign = [
        // Pads: events or data in the wrong order
        "Got data flow before", "Sticky event misordering",
        // GStreamer: a GstVideoMeta contradicts the caps
        "gst_video_frame_map_id: assertion",
        // pnmdec: a text bitmap with data after its end
        "gst_video_decoder_allocate_output_frame_with_params: assertion",
        // GObject: values that GObject rejects
        "is invalid or out of range for property",
    ]

    static func report(_ kind: String, seed: UInt64, _ text: String) {
        complain("\(kind) \(seed): \(text.prefix(2000))\n      again: ./launch fuzz 0 \(kind) \(seed)")
    }

    static func complain(_ text: String) { FileHandle.standardError.write(Data("fuzz: \(text)\n".utf8)) }

    private static func runCase(_ kind: String, seed: UInt64, _ goods: Goods) throws -> String? {
        let dice = Dice(seed: seed)
        switch kind {
        case "files":
            var files = FileCase(goods: goods, dice: dice)
            return try files.run()
        case "networks":
            var network = NetworkCase(goods: goods, dice: dice)
            return network.run()
        case "keys":
            var keys = KeyCase(goods: goods, dice: dice)
            return try keys.run()
        default:
            var element = try ElementCase(kind, goods, dice)
            element.run()
        }
        return nil
    }

    private static func now(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
