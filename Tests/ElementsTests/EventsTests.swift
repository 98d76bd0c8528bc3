// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Elements

@Suite("svevents")
struct EventsTests {
    private static let isFull = ProcessInfo.processInfo.environment["SWIFTVISION_FULL"] != nil
    private static let rolls = "trigger=event=enter pre-roll=2000000000 post-roll=1000000000"

    @Test(
        "A clip begins before the event with a keyframe, and ends after the event",
        arguments: ["mkv", "mp4", "webm"], [false, true])
    func clip(_ ending: String, _ hasAudio: Bool) throws {
        let stream = try EventStream(Self.rolls, name: "clip-{label}-{zone}.\(ending)", hasAudio: hasAudio)
        try stream.push(200)
        stream.post()
        try stream.push(60)
        try stream.end()
        #expect(stream.folder.names == ["clip-cat-door.\(ending)", "clip-cat-door.jpg"].sorted(), "\(stream.warnings)")
        let clip = try ClipContent(stream.folder.file("clip-cat-door.\(ending)"), hasAudio: hasAudio)
        let first = try #require(clip.numbers.first)
        // The pre-roll begins at frame 150, and the encoder makes a keyframe each second.
        #expect((125...150).contains(first))
        #expect(clip.numbers == Array(first...225))
        #expect(clip.times.first.map { $0 < 0.001 } == true)
        #expect(abs((clip.times.last ?? 0) - Double(225 - first) * 0.04) < 0.002)
        if hasAudio { #expect(try #require(clip.audioOffset) < 0.04) }
        let finished = try #require(stream.all("clip-finished").first)
        #expect(stream.all("clip-started").count == 1 && stream.all("clip-failed").isEmpty)
        #expect(finished.text("location") == stream.folder.file("clip-cat-door.\(ending)"))
        #expect(finished.text("label") == "cat" && finished.text("zone") == "door")
        #expect(finished.text("trigger") == "enter" && finished.int("events") == 1)
        #expect(finished.text("snapshot") == stream.folder.file("clip-cat-door.jpg"))
        let duration = Double(try #require(finished.uint64("duration"))) / 1e9
        #expect(abs(duration - Double(225 - first) * 0.04) < 0.05)
    }

    @Test(
        "The snapshot shows the frame of the event",
        arguments: [
            "identity", "videoconvert ! x264enc tune=zerolatency key-int-max=50",
            "videoconvert ! x264enc key-int-max=50 bframes=2 rc-lookahead=5", "jpegenc",
        ])
    func snapshot(_ before: String) throws {
        let stream = try EventStream(Self.rolls, before: before)
        try stream.push(130)
        stream.post()
        try stream.push(60)
        try stream.end()
        let image = try ClipContent(stream.folder.file("clip-cat.jpg"))
        // The decoding time of a frame can differ from the time of the frame by the number of B-frames.
        #expect(
            image.numbers.count == 1
                && image.numbers.allSatisfy { abs($0 - 130) <= (before.contains("bframes") ? 3 : 0) })
    }

    @Test("Overlapping events share a clip, and later events start another clip")
    func joined() throws {
        let stream = try EventStream(Self.rolls, name: "clip.mkv")
        try stream.push(100)
        stream.post()
        try stream.push(20)
        stream.post()
        try stream.push(200)
        stream.post("svzones, event=leave")
        stream.post()
        try stream.push(100)
        try stream.end()
        // Two files can be complete in either order.
        let events = stream.all("clip-finished").map { [$0.text("location"): $0.int("events")] }
        #expect(Set(events) == [[stream.folder.file("clip.mkv"): 2], [stream.folder.file("clip-2.mkv"): 1]])
        #expect(stream.folder.names == ["clip-2.jpg", "clip-2.mkv", "clip.jpg", "clip.mkv"])
        let (first, second) = (
            try ClipContent(stream.folder.file("clip.mkv")), try ClipContent(stream.folder.file("clip-2.mkv"))
        )
        #expect(first.numbers.last == 145)
        #expect(second.numbers.first.map { (245...270).contains($0) } == true && second.numbers.last == 345)
    }

    @Test("An event that is longer than max-duration continues in another clip without a gap")
    func maxDuration() throws {
        let stream = try EventStream("\(Self.rolls) max-duration=4000000000", name: "clip.mkv")
        try stream.push(50)
        for _ in 0..<20 {
            stream.post()
            try stream.push(10)
        }
        try stream.push(50)
        try stream.end()
        let numbers = try stream.all("clip-finished").map {
            try ClipContent(try #require($0.text("location"))).numbers
        }.sorted { ($0.first ?? 0) < ($1.first ?? 0) }
        #expect(numbers.count > 2)
        for (clip, next) in zip(numbers, numbers.dropFirst()) {
            #expect(clip.count <= 101)
            #expect(try #require(next.first) <= (try #require(clip.last)) + 1)
        }
        #expect(numbers.last?.last == 265)
    }

    @Test(
        "Encoded video is recorded without change",
        arguments: [
            (
                "videoconvert ! x264enc tune=zerolatency key-int-max=25 ! video/x-h264,stream-format=byte-stream",
                "mkv"
            ),
            ("videoconvert ! x264enc key-int-max=25 bframes=2 rc-lookahead=5 ! h264parse", "mp4"),
            // The end of the clip falls between a frame and its B-frames.
            ("videoconvert ! x264enc key-int-max=25 bframes=2 b-adapt=false rc-lookahead=5 ! h264parse", "mkv"),
            ("videoconvert ! x264enc key-int-max=25 bframes=4 b-adapt=false rc-lookahead=5 ! h264parse", "mp4"),
            ("videoconvert ! x265enc tune=zerolatency key-int-max=25 ! h265parse", "mkv"),
            ("videoconvert ! vp8enc deadline=1 keyframe-max-dist=25", "webm"),
            ("videoconvert ! vp9enc deadline=1 cpu-used=8 keyframe-max-dist=25 lag-in-frames=0", "mkv"),
            ("jpegenc", "mkv"),
        ])
    func encoded(_ encoder: String, _ ending: String) throws {
        let stream = try EventStream(Self.rolls, name: "clip.\(ending)", before: encoder, hasAudio: true)
        try stream.push(200)
        stream.post()
        try stream.push(80)
        try stream.end()
        let clip = try ClipContent(stream.folder.file("clip.\(ending)"), hasAudio: true)
        let first = try #require(clip.numbers.first)
        #expect((120...150).contains(first), "\(stream.warnings)")
        #expect(clip.numbers == Array(first..<first + clip.numbers.count))
        #expect((223...231).contains(try #require(clip.numbers.last)))
        #expect(try #require(clip.times.first) < 0.1)
        #expect(try #require(clip.audioOffset) < 0.05)
    }

    /// A parser marks keyframes with parameter sets as headers.
    @Test("A stream of keyframes with parameter sets becomes a clip", arguments: ["mkv", "mp4"])
    func keyframes(_ ending: String) throws {
        let stream = try EventStream(
            Self.rolls, name: "clip.\(ending)", before: "videoconvert ! x264enc tune=zerolatency key-int-max=1")
        try stream.push(100)
        stream.post()
        try stream.push(60)
        try stream.end()
        #expect(try ClipContent(stream.folder.file("clip.\(ending)")).numbers == Array(50...125))
        let duration = Double(try #require(stream.all("clip-finished").first?.uint64("duration"))) / 1e9
        #expect(abs(duration - 3) < 0.001)
    }

    @Test("Encoded video that does not fit into the file is a warning, and the stream continues")
    func wrongContainer() throws {
        let stream = try EventStream(Self.rolls, name: "clip.mp4", before: "jpegenc")
        try stream.push(10)
        stream.post()
        try stream.push(10)
        #expect(eventually { stream.events.ask("record", "a", as: Bool.self) == false })
        try stream.end()
        #expect(!stream.warnings.isEmpty && stream.warnings.allSatisfy { $0.contains(".mkv") })
        #expect(!stream.all("clip-failed").isEmpty)
        #expect(stream.folder.names.isEmpty)
    }

    @Test("Each of many events gets a clip with the pre-roll and the sound")
    func manyEvents() throws {
        let count = Self.isFull ? 100 : 5
        let stream = try EventStream(
            "trigger=event=enter pre-roll=3000000000 post-roll=1000000000", name: "clip.mkv", hasAudio: true)
        try stream.push(110)
        var frames: [Int] = []
        for index in 0..<count {
            frames.append(stream.count)
            stream.post()
            try stream.push(130 + index * 7 % 60)
        }
        try stream.end()
        // Two files can be complete in either order, so sort the clips by their first frames.
        let clips = try stream.all("clip-finished").map { message in
            let clip = try ClipContent(try #require(message.text("location")), hasAudio: true)
            return (first: try #require(clip.numbers.first), content: clip)
        }.sorted { $0.first < $1.first }
        try #require(clips.count == count)
        var (shortest, offset) = (1.0, 0.0)
        for (frame, clip) in zip(frames, clips) {
            shortest = min(shortest, Double(frame - clip.first) / 75)
            offset = max(offset, try #require(clip.content.audioOffset))
            try #require(clip.first <= frame)
            #expect(clip.content.numbers == Array(clip.first...frame + 25))
        }
        #expect(shortest >= 0.95 && offset < 0.05, "pre-roll \(shortest), audio offset \(offset)")
        if Self.isFull { print("\(count) clips: pre-roll at least \(shortest), audio offset at most \(offset) s") }
    }

    @Test("Frames pass unchanged")
    func unchanged() throws {
        let line = try pipeline(
            "appsrc name=in format=time caps=\(NumberedFrame.draw(0).caps()) ! svevents location=/does/not/exist/c.mkv "
                + "! appsink name=out sync=false")
        try line.play()
        for number in 0..<5 {
            try line.push(NumberedFrame.draw(number), into: "in", at: UInt64(number) * EventStream.frame)
        }
        try line.end("in")
        #expect(try line.pullAll().map(\.frame) == (0..<5).map { NumberedFrame.draw($0) })
    }

    // MARK: - Triggers

    @Test("The action and the key record a clip")
    func actions() throws {
        let stream = try EventStream("post-roll=1000000000 pre-roll=1000000000", name: "clip-{label}-{event}.mkv")
        try stream.push(50)
        #expect(stream.events.ask("record", "door", as: Bool.self) == true)
        try stream.push(80)
        let pad = try stream.pipeline.pad("e", "src")
        gst_pad_send_event(pad.pad, gst_navigation_event_new_key_press("e", GST_NAVIGATION_MODIFIER_NONE))
        try stream.push(80)
        try stream.end()
        #expect(
            stream.folder.names.filter { $0.hasSuffix("mkv") } == ["clip-door-record.mkv", "clip-manual-record.mkv"])
        #expect(stream.events.ask("record", "door", as: Bool.self) == false)
    }

    @Test("Without location, the action returns false")
    func noLocation() throws {
        let stream = try EventStream("trigger=event=enter", name: "")
        try stream.push(5)
        stream.post()
        #expect(stream.events.ask("record", "door", as: Bool.self) == false)
        try stream.push(5)
        try stream.end()
        #expect(stream.messages.isEmpty && stream.warnings.isEmpty)
    }

    @Test("Detections of our detectors trigger clips")
    func detector() throws {
        let folder = try TemporaryFolder()
        let line = try pipeline(
            "videotestsrc num-buffers=60 ! video/x-raw,width=320,height=240,framerate=30/1 ! svtestscene scene=coins count=1 "
                + "! svblobdetect name=blobs ! svevents name=e trigger=element=blobs|label=face "
                + "location=\(folder.path)/{label}.mkv ! fakesink sync=false")
        try line.play()
        try line.finish()
        try line.stop()
        #expect(folder.names == ["blob.jpg", "blob.mkv"] || folder.names == ["none.jpg", "none.mkv"])
    }

    @Test("Two svevents in a pipeline do not trigger each other")
    func twoElements() throws {
        let other = try TemporaryFolder()
        let rolls = "trigger=label=cat pre-roll=0 post-roll=400000000"
        let stream = try EventStream(
            rolls, name: "clip.mkv", after: "svevents name=f \(rolls) location=\(other.path)/clip.mkv")
        try stream.push(30)
        stream.post()
        try stream.push(200)
        try stream.end()
        #expect(stream.all("clip-finished").map { $0.int("events") } == [1])
        #expect(stream.folder.names == ["clip.jpg", "clip.mkv"] && other.names == ["clip.jpg", "clip.mkv"])
    }

    @Test("A malformed trigger is an error at the start, and a warning later")
    func malformedTrigger() throws {
        let broken = try pipeline("videotestsrc ! svevents trigger=zone ! fakesink")
        #expect(broken.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(broken.bus.pending(GST_MESSAGE_ERROR).first)
        #expect(error.text == "trigger, at character 5: expected = after zone")
        let stream = try EventStream(Self.rolls, name: "clip.mkv")
        try stream.push(50)
        stream.events.set("trigger", "zone")
        try stream.push(10)
        stream.post()
        try stream.push(50)
        try stream.end()
        #expect(stream.warnings == ["trigger, at character 5: expected = after zone"])
        #expect(stream.all("clip-finished").count == 1, "the old trigger stays")
    }

    // MARK: - Files

    @Test("A missing folder is a warning, and later clips are tried again")
    func missingFolder() throws {
        let stream = try EventStream(Self.rolls, name: "disk/%Y/clip.mkv")
        try stream.push(50)
        stream.post()
        try stream.push(50)
        #expect(try stream.wait(for: "clip-failed").text("reason")?.contains("does not exist") == true)
        try FileManager.default.createDirectory(atPath: stream.folder.file("disk"), withIntermediateDirectories: false)
        try stream.push(50)
        stream.post()
        try stream.push(50)
        try stream.end()
        #expect(stream.warnings.count == 1)
        let finished = try #require(stream.all("clip-finished").first?.text("location"))
        #expect(FileManager.default.fileExists(atPath: finished))
    }

    @Test("max-disk-space deletes the oldest clips of svevents")
    func diskSpace() throws {
        let stream = try EventStream("\(Self.rolls) max-disk-space=1 snapshot=false", name: "clip-%S%M.mkv")
        try stream.folder.write([1, 2, 3], "clip-0000.txt")
        for _ in 0..<2 {
            try stream.push(60)
            stream.post()
            try stream.push(60)
        }
        try stream.end()
        #expect(stream.all("clip-deleted").count == 2)
        #expect(stream.folder.names == [ClipStore.indexName, "clip-0000.txt"])
    }

    @Test(
        "A snapshot enters the index with its clip",
        arguments: ["identity", "videoconvert ! x264enc tune=zerolatency key-int-max=25"])
    func indexedSnapshot(_ before: String) throws {
        let stream = try EventStream(
            "\(Self.rolls) max-disk-space=1000000000", name: "clip.mkv", before: before)
        try stream.push(60)
        stream.post()
        try stream.push(60)
        try stream.end()
        #expect(stream.all("clip-finished").first?.text("snapshot") == stream.folder.file("clip.jpg"))
        let index = try String(contentsOfFile: stream.folder.file(ClipStore.indexName), encoding: .utf8)
        #expect(index.contains("\"clip.mkv\"") && index.contains("\"clip.jpg\""))
    }

    @Test(
        "A time lapse has one frame per interval",
        arguments: [
            ("identity", "mp4"), ("videoconvert ! x264enc tune=zerolatency key-int-max=25", "mkv"),
            ("videoconvert ! x264enc tune=zerolatency key-int-max=25", "mp4"), ("jpegenc", "mkv"),
        ])
    func timeLapse(_ before: String, _ ending: String) throws {
        let folder = try TemporaryFolder()
        let stream = try EventStream(
            "time-lapse=2000000000 time-lapse-location=\(folder.path)/lapse.\(ending)", name: "", before: before)
        try stream.push(260)
        try stream.end()
        let lapse = try ClipContent(folder.file("lapse.\(ending)"))
        #expect(lapse.numbers == [0, 50, 100, 150, 200, 250], "\(stream.warnings)")
        #expect(abs((lapse.times.last ?? 0) - 0.2) < 0.001)
    }

    @Test("A time lapse of a format that the file cannot hold is a warning")
    func wrongTimeLapse() throws {
        let folder = try TemporaryFolder()
        let stream = try EventStream(
            "time-lapse=2000000000 time-lapse-location=\(folder.path)/lapse.mp4", name: "", before: "jpegenc")
        try stream.push(60)
        try stream.end()
        #expect(
            stream.warnings.contains { $0.contains("cannot store image/jpeg in a .mp4 file") }, "\(stream.warnings)")
        #expect(folder.names.isEmpty)
    }

    // MARK: - The pipeline

    @Test(
        "An svoverlay that hides after svevents is a warning",
        arguments: [
            ("identity", "svblobdetect draw=false ! svoverlay hide=blob", true),
            ("identity", "svfacedetect detector=cascade draw=false ! svoverlay pixelate-faces=true", true),
            ("svblobdetect draw=false ! svoverlay hide=blob", "identity", false), ("identity", "svoverlay", false),
        ])
    func hiding(_ before: String, _ after: String, _ warns: Bool) throws {
        let stream = try EventStream(Self.rolls, before: before, after: after)
        try stream.push(5)
        try stream.end()
        #expect(stream.warnings.contains { $0.contains("show the regions that") } == warns)
    }

    /// Stops a pipeline from the thread that posts a message.
    private final class Stopper: Sendable {
        let isStopped = Mutex(false)
    }

    @Test(
        "An application can stop the pipeline from a message of svevents", arguments: ["clip-started", "clip-finished"])
    func stopFromMessage(_ event: String) throws {
        let folder = try TemporaryFolder()
        let line = try pipeline(
            "videotestsrc ! video/x-raw,width=96,height=64,framerate=25/1 ! svevents name=e pre-roll=0 "
                + "post-roll=200000000 max-disk-space=1 location=\(folder.path)/clip.mkv ! fakesink name=\(event) sync=true"
        )
        let stopper = Stopper()
        gst_bus_set_sync_handler(
            line.bus.pointer,
            { _, message, data in
                guard let message, message.pointee.type == GST_MESSAGE_ELEMENT, let data,
                    let structure = gst_message_get_structure(message),
                    let event = gst_structure_get_string(structure, "event"),
                    let parent = message.pointee.src?.pointee.parent
                else { return GST_BUS_PASS }
                // The pipeline contains an element with the name of the event to wait for.
                let bin = UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstBin.self)
                guard let sink = gst_bin_get_by_name(bin, event) else { return GST_BUS_PASS }
                gst_object_unref(sink)
                gst_element_set_state(
                    UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstElement.self), GST_STATE_NULL)
                Unmanaged<Stopper>.fromOpaque(data).takeUnretainedValue().isStopped.withLock { $0 = true }
                return GST_BUS_PASS
            }, Unmanaged.passUnretained(stopper).toOpaque(), nil)
        let events = try line.element("e")
        try line.reach(GST_STATE_PLAYING)
        #expect(events.ask("record", "a", as: Bool.self) == true)
        #expect(eventually { stopper.isStopped.withLock { $0 } })
        line.set(GST_STATE_NULL)
        gst_bus_set_sync_handler(line.bus.pointer, nil, nil, nil)
        withExtendedLifetime(stopper) {}
    }

    @Test("A seek ends the clip, and recording continues afterwards")
    func seek() throws {
        let folder = try TemporaryFolder()
        let line = try pipeline(
            "videotestsrc ! video/x-raw,width=96,height=64,framerate=25/1 ! svevents name=e pre-roll=1000000000 "
                + "location=\(folder.path)/clip.mkv ! fakesink sync=true")
        try line.reach(GST_STATE_PLAYING)
        let events = try line.element("e")
        for _ in 0..<3 {
            #expect(events.ask("record", "a", as: Bool.self) == true)
            #expect(
                eventually { line.bus.pending(GST_MESSAGE_ELEMENT).contains { $0.structure.contains("clip-started") } })
            gst_element_seek_simple(line.handle.element, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0)
        }
        try line.stop()
        #expect(folder.names.filter { $0.hasSuffix("mkv") }.count == 3)
    }

    @Test("Audio that ends or never arrives does not stop clips")
    func missingAudio() throws {
        let folder = try TemporaryFolder()
        for (index, audio) in ["audiotestsrc num-buffers=10", "appsrc"].enumerated() {
            let line = try pipeline(
                "videotestsrc num-buffers=400 ! video/x-raw,width=96,height=64,framerate=25/1 ! svevents name=e "
                    + "pre-roll=1000000000 location=\(folder.path)/clip-\(index).mkv ! fakesink sync=false "
                    + "\(audio) ! audio/x-raw,rate=48000 ! e.audio")
            let events = try line.element("e")
            try line.play()
            #expect(events.ask("record", "a", as: Bool.self) == true)
            try line.finish()
            try line.stop()
            #expect(try ClipContent(folder.file("clip-\(index).mkv")).numbers.count > 100)
        }
    }
}
