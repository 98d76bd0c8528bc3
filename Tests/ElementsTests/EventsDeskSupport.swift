// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Synchronization
import TestSupport
import Testing
import Waiting

@testable import ElementKit
@testable import Elements

/// Feeds packets to a `ClipDesk`, and collects its reports. The times are in milliseconds.
final class DeskStream {
    private final class Log: Sendable { let reports = Mutex<[ClipReport]>([]) }

    let folder: TemporaryFolder
    private let log = Log()
    private let worker = Worker()
    private let desk: ClipDesk

    init(
        preRoll: Int64 = 1000, postRoll: Int64 = 1000, maxDuration: Int64 = 100_000, maxMemory: Int = 10_000_000,
        snapshots: Bool = false
    ) throws {
        folder = try TemporaryFolder()
        let plan = ClipPlan(
            name: try ClipName("\(folder.path)/clip.mkv", of: "location"), preRoll: preRoll * 1_000_000,
            postRoll: postRoll * 1_000_000, maxDuration: maxDuration * 1_000_000, maxMemory: maxMemory,
            takesSnapshots: snapshots)
        let log = log
        let worker = worker
        desk = ClipDesk(plan, report: { report in log.reports.withLock { $0.append(report) } }) { worker.run($0) }
    }

    static func packet(_ nanoseconds: UInt64, isKey: Bool = true, bytes: Int = 100, _ caps: String) throws
        -> StreamPacket
    {
        let buffer = try required(gst_buffer_new_allocate(nil, gsize(bytes), nil), "no memory")
        defer { gst_buffer_unref(buffer) }
        gst_buffer_memset(buffer, 0, 1, gsize(bytes))
        buffer.pointee.pts = GstClockTime(nanoseconds)
        if !isKey { markAsDelta(buffer) }
        let caps = try required(gst_caps_from_string(caps), "malformed caps")
        defer { gst_caps_unref(caps) }
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        return StreamPacket(buffer, StreamCaps(caps), segment)
    }

    /// Marks a buffer as a frame that needs earlier frames.
    private static func markAsDelta(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_DELTA_UNIT.rawValue
    }

    func run(_ job: @escaping @Sendable (ClipDesk) -> Void) { worker.run { [desk] in job(desk) } }

    func video(_ time: Int64, isKey: Bool = true, bytes: Int = 100, width: Int = 64) throws {
        let caps = "video/x-vp8,width=\(width),height=64,framerate=10/1"
        let packet = try Self.packet(UInt64(time) * 1_000_000, isKey: isKey, bytes: bytes, caps)
        run { $0.add(packet) }
    }

    static let soundCaps = "audio/mpeg,mpegversion=1,layer=3,rate=48000,channels=1,parsed=true"

    func sound(_ time: Int64) throws {
        let packet = try Self.packet(UInt64(time) * 1_000_000, Self.soundCaps)
        run { $0.addSound(packet) }
    }

    func event(_ time: Int64) {
        run { $0.take(ClipEvent(match: TriggerRule.Match(label: "cat"), time: time * 1_000_000)) }
    }

    /// Ends the stream, and returns the reports.
    func finish() throws -> [ClipReport] {
        let isIdle = Monitor(false)
        run { $0.finish() }
        run { $0.whenIdle { isIdle.change { $0 = true } } }
        try #require(isIdle.wait(until: .after(milliseconds: 60_000)) { $0 })
        return log.reports.withLock { $0 }
    }
}

extension [ClipReport] {
    var finished: [ClipInfo] {
        compactMap { report -> ClipInfo? in
            guard case .finished(let info) = report else { return nil }
            return info
        }
    }

    var failed: [ClipInfo] {
        compactMap { report -> ClipInfo? in
            guard case .failed(let info, _) = report else { return nil }
            return info
        }
    }

    var problems: [String] {
        compactMap { report -> String? in
            switch report {
            case .failed(_, let error), .warning(let error): return error.message
            case .started, .finished: return nil
            }
        }
    }
}
