// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Foundation
import TestSupport
import Testing
import Waiting

@testable import ElementKit
@testable import Elements

@Suite("The clips of svevents")
struct EventsDeskTests {
    init() throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
    }

    @Test("A group of frames that is larger than max-memory is a warning for the snapshot")
    func largeGroup() throws {
        let stream = try DeskStream(postRoll: 3000, maxMemory: 1000, snapshots: true)
        // The second frame makes the group too large, so the memory is empty when the snapshot is due.
        try stream.video(0, bytes: 600)
        stream.event(0)
        for time: Int64 in [100, 200, 300] { try stream.video(time, isKey: false, bytes: 600) }
        let reports = try stream.finish()
        #expect(reports.problems.contains { $0.contains("max-memory is too small") }, "\(reports.problems)")
        #expect(!stream.folder.names.contains("clip.jpg"))
    }

    @Test("Extreme timestamps do not stop the program")
    func extremeTimes() throws {
        let stream = try DeskStream()
        let caps = "video/x-vp8,width=64,height=64,framerate=10/1"
        for time in [0, UInt64(Int64.max), 5, UInt64.max - 1, UInt64(Int64.max) + 1, 1 << 62, 0] {
            let packet = try DeskStream.packet(time, caps)
            let sound = try DeskStream.packet(time, DeskStream.soundCaps)
            #expect(try #require(packet.time) <= StreamPacket.maxTime)
            stream.run { desk in
                desk.add(packet)
                desk.addSound(sound)
                desk.take(ClipEvent(match: TriggerRule.Match(label: "cat"), time: packet.time ?? 0))
            }
            let moved = packet.moved(to: .min)
            #expect(moved.time == -StreamPacket.maxTime)
            stream.run { $0.add(moved) }
        }
        #expect(try stream.finish().finished.isEmpty == false)
    }

    @Test("If pre-roll and post-roll need more than max-duration, the post-roll continues in another clip")
    func longRolls() throws {
        let stream = try DeskStream(preRoll: 2000, postRoll: 2000, maxDuration: 3000)
        for time in stride(from: Int64(0), through: 10_000, by: 100) {
            try stream.video(time, isKey: time % 500 == 0)
            if time == 5000 { stream.event(time) }
        }
        let clips = try stream.finish().finished.map(\.duration.seconds).sorted()
        try #require(clips.count == 2)
        // One clip has the time from 3 s to 6 s. The other clip begins at most 1 s before 6 s, and ends at 7 s.
        #expect(abs(clips[1] - 3) < 0.11)
        #expect((0.9...2.1).contains(clips[0]))
    }

    @Test("If pre-roll is longer than max-duration, the clip contains the event")
    func longPreRoll() throws {
        let stream = try DeskStream(preRoll: 5000, postRoll: 500, maxDuration: 1000)
        for time in stride(from: Int64(0), through: 8000, by: 100) {
            try stream.video(time, isKey: time % 500 == 0)
            if time == 6000 { stream.event(time) }
        }
        let clips = try stream.finish().finished
        #expect(clips.count == 1 && clips.allSatisfy { abs($0.duration.seconds - 5.5) < 0.11 })
    }

    @Test("A keyframe interval longer than max-duration does not make a clip for each frame")
    func longGroup() throws {
        let stream = try DeskStream(preRoll: 0, postRoll: 3000, maxDuration: 1000)
        for time in stride(from: Int64(0), through: 12_000, by: 100) {
            try stream.video(time, isKey: time == 0)
            if time == 6000 { stream.event(time) }
        }
        #expect((2...4).contains(try stream.finish().finished.count))
    }

    @Test("An abandoned clip has failed")
    func abandoned() throws {
        let stream = try DeskStream()
        for time in stride(from: Int64(0), through: 1000, by: 100) { try stream.video(time) }
        stream.event(500)
        stream.run { $0.abandon() }
        let reports = try stream.finish()
        #expect(reports.failed.count == 1 && reports.finished.isEmpty)
        #expect(reports.problems.contains { $0.contains("before the file was complete") })
    }

    @Test("Clips that begin at the same time have different names from the start")
    func reservedNames() throws {
        let folder = try TemporaryFolder()
        let isDone = Monitor(0)
        let writers = try (0..<3).map { _ in
            try ClipWriter(
                in: folder.path, "clip", .matroska, from: 0, hasSound: false, atMost: 1_000_000, frameRate: 10
            ) { isDone.change { $0 += 1 } }
        }
        let paths = ["clip.mkv", "clip-2.mkv", "clip-3.mkv"].map { folder.file($0) }
        #expect(writers.map(\.path) == paths)
        #expect(folder.names == ["clip-2.mkv", "clip-3.mkv", "clip.mkv"])
        for writer in writers.dropLast() {
            writer.add(try DeskStream.packet(0, "video/x-vp8,width=64,height=64,framerate=10/1"))
            writer.end()
        }
        writers[2].abandon()
        try #require(isDone.wait(until: .after(milliseconds: 60_000)) { $0 == 3 })
        // Files without frames are removed.
        #expect(folder.names == ["clip-2.mkv", "clip.mkv"])
        #expect(writers.map(\.path) == paths)
    }

    @Test("Only files that exist enter the index")
    func filesInReports() {
        var info = ClipInfo(match: TriggerRule.Match(), path: "clip.mkv")
        #expect(info.files.isEmpty)
        (info.bytes, info.snapshot) = (5, "clip.jpg")
        #expect(info.files == ["clip.mkv", "clip.jpg"])
    }

    @Test("An event that arrives before its packets starts another clip if the packets are after the current clip")
    func earlyEvent() throws {
        let stream = try DeskStream()
        for time in stride(from: Int64(0), through: 2000, by: 100) { try stream.video(time) }
        // This event is 0.5 s late. The first clip has the time from 0.5 s to 2.5 s.
        stream.event(1500)
        stream.event(2800)
        for time in stride(from: Int64(2100), through: 3000, by: 100) { try stream.video(time) }
        // The stream ends before the packets of this event.
        stream.event(3100)
        let clips = try stream.finish().finished
        #expect(clips.map(\.events).sorted() == [1, 2])
        #expect(clips.map(\.duration.seconds).sorted().map { ($0 * 10).rounded() } == [12, 20])
    }

    @Test("Events fail if the stream cannot be encoded, or ends before the first frame")
    func noPackets() throws {
        let stream = try DeskStream()
        stream.event(0)
        stream.run { $0.fail(ElementError(.missingPlugin, "no encoder")) }
        stream.event(0)
        for time in stride(from: Int64(0), through: 1000, by: 100) { try stream.video(time) }
        stream.event(500)
        let reports = try stream.finish()
        #expect(reports.failed.count == 2 && reports.problems == ["no encoder", "no encoder"])
        #expect(reports.finished.count == 1)
        let empty = try DeskStream()
        empty.event(0)
        #expect(try empty.finish().problems.first?.contains("before the first keyframe") == true)
    }

    @Test("An event between two packets extends the clip that contains the event")
    func eventAtTheEnd() throws {
        let stream = try DeskStream()
        for time in stride(from: Int64(0), through: 1500, by: 100) { try stream.video(time) }
        // The clip ends at 2.5 s.
        stream.event(1500)
        for time in stride(from: Int64(1600), through: 2400, by: 100) { try stream.video(time) }
        stream.event(2450)
        for time in stride(from: Int64(2600), through: 4000, by: 100) { try stream.video(time) }
        #expect(try stream.finish().finished.map(\.events) == [2])
    }

    @Test("An event that waits for its packets fails at an interruption")
    func interruptedEvent() throws {
        let stream = try DeskStream()
        for time in stride(from: Int64(0), through: 1000, by: 100) { try stream.video(time) }
        stream.event(1500)
        stream.run { $0.interrupt() }
        let reports = try stream.finish()
        #expect(reports.problems.count == 1 && reports.problems[0].contains("was interrupted"), "\(reports.problems)")
        #expect(reports.finished.isEmpty)
    }

    @Test("If too many events wait for their packets, further events fail")
    func manyEvents() throws {
        let stream = try DeskStream()
        try stream.video(0)
        for time in 1...Int64(101) { stream.event(1000 + time) }
        for time in stride(from: Int64(100), through: 3000, by: 100) { try stream.video(time) }
        let reports = try stream.finish()
        #expect(
            reports.problems.count == 1 && reports.problems[0].contains("100 earlier events"), "\(reports.problems)")
        #expect(reports.finished.map(\.events) == [100])
    }

    @Test("A memory that holds the pre-roll causes no warning", arguments: [(1500, false), (900, true)])
    func smallMemory(_ maxMemory: Int, _ warns: Bool) throws {
        // The pre-roll has 1000 to 1100 bytes. The memory also keeps one second more, if possible.
        let stream = try DeskStream(maxMemory: maxMemory)
        for time in stride(from: Int64(0), through: 5000, by: 100) { try stream.video(time) }
        #expect(try stream.finish().problems.contains { $0.contains("the pre-roll of clips is too short") } == warns)
    }

    // MARK: - Audio

    /// Returns true if a Matroska file has an MP3 track.
    private func hasAudio(_ clip: ClipInfo) throws -> Bool {
        try Data(contentsOf: URL(fileURLWithPath: clip.path)).range(of: Data("A_MPEG/L3".utf8)) != nil
    }

    /// Feeds video, and audio that is 100 ms late.
    private func feed(_ stream: DeskStream, from start: Int64, to end: Int64, width: Int = 64) throws {
        for time in stride(from: start, to: end, by: 100) {
            try stream.video(time, width: width)
            if time >= 100 { try stream.sound(time - 100) }
        }
    }

    @Test("Without pre-roll, a clip has the audio that arrives after its start")
    func audioWithoutPreRoll() throws {
        let stream = try DeskStream(preRoll: 0)
        try feed(stream, from: 0, to: 3000)
        stream.event(2900)
        try feed(stream, from: 3000, to: 5000)
        let clips = try stream.finish().finished
        #expect(clips.count == 1)
        for clip in clips { #expect(try hasAudio(clip)) }
    }

    @Test("A clip after a restart of the stream has audio, even if the audio is later than the video")
    func audioAfterRestart() throws {
        let stream = try DeskStream()
        try feed(stream, from: 0, to: 2000)
        stream.run { $0.interrupt() }
        try stream.video(0)
        stream.event(0)
        try feed(stream, from: 100, to: 2000)
        let clips = try stream.finish().finished
        #expect(clips.count == 1)
        for clip in clips { #expect(try hasAudio(clip)) }
    }

    @Test("A clip that continues after a change of the format has audio")
    func audioAfterNewFormat() throws {
        let stream = try DeskStream()
        try feed(stream, from: 0, to: 2000)
        stream.event(1900)
        try feed(stream, from: 2000, to: 2500)
        try feed(stream, from: 2500, to: 5000, width: 128)
        let clips = try stream.finish().finished
        #expect(clips.count == 2)
        for clip in clips { #expect(try hasAudio(clip)) }
    }

    /// Returns the times of the audio in a Matroska file, in milliseconds.
    private func soundTimes(_ clip: ClipInfo) throws -> [Int] {
        let line = try pipeline(
            "filesrc location=\(clip.path) ! matroskademux ! audio/mpeg ! appsink name=out sync=false")
        try line.play()
        let sink = try line.element("out").cast(to: GstAppSink.self)
        var times: [Int] = []
        while let sample = gst_app_sink_try_pull_sample(sink, GStreamer.patience) {
            defer { gst_sample_unref(sample) }
            if let buffer = gst_sample_get_buffer(sample) { times.append(Int(buffer.pointee.pts) / 1_000_000) }
        }
        try line.stop()
        return times
    }

    @Test("An extended clip has all audio, even if the audio is ahead of the video")
    func audioAhead() throws {
        let stream = try DeskStream()
        for time in stride(from: Int64(0), through: 2000, by: 100) {
            try stream.video(time)
            try stream.sound(time)
        }
        // The clip has the time from 0.9 s to 2.9 s.
        for time in stride(from: Int64(2100), through: 2700, by: 100) { try stream.sound(time) }
        stream.event(1900)
        for time in stride(from: Int64(2800), through: 4000, by: 100) { try stream.sound(time) }
        for time in stride(from: Int64(2100), through: 2500, by: 100) { try stream.video(time) }
        // The clip now ends at 3.5 s.
        stream.event(2500)
        for time in stride(from: Int64(2600), through: 4000, by: 100) { try stream.video(time) }
        let clips = try stream.finish().finished
        try #require(clips.count == 1)
        #expect(try soundTimes(clips[0]) == Array(stride(from: 0, through: 2600, by: 100)))
    }

    @Test("Audio that goes back or is flushed does not stop clips", arguments: [false, true])
    func audioRestart(_ flushes: Bool) throws {
        let stream = try DeskStream()
        try feed(stream, from: 0, to: 3000)
        stream.event(2900)
        if flushes { stream.run { $0.flushSound() } }
        for time in stride(from: Int64(0), to: 2000, by: 100) {
            try stream.sound(time)
            try stream.video(3000 + time)
        }
        let clips = try stream.finish().finished
        #expect(clips.count == 1)
    }

    @Test("If the audio stops, later clips have no audio")
    func audioStops() throws {
        let stream = try DeskStream()
        try feed(stream, from: 0, to: 1000)
        for time in stride(from: Int64(1000), to: 8000, by: 100) { try stream.video(time) }
        stream.event(7900)
        let clips = try stream.finish().finished
        #expect(clips.count == 1)
        for clip in clips { #expect(try !hasAudio(clip)) }
    }
}
