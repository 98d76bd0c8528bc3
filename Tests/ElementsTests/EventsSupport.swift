// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Foundation
import Imaging
import TestSupport
import Testing

/// A frame that shows its number as bright and dark blocks, so that a decoder can read the number.
enum NumberedFrame {
    static let (width, height) = (96, 64)
    private static let block = 16
    private static let bits = 24

    static func draw(_ number: Int) -> TestFrame {
        TestFrame(.bgrx, width, height) { x, y in
            let bit = y / block * (width / block) + x / block
            let value: UInt8 = number >> bit & 1 == 1 ? 220 : 30
            return [value, value, value, 255]
        }
    }

    static func read(_ frame: TestFrame) -> Int {
        (0..<bits).reduce(0) { number, bit in
            let (x, y) = (bit % (width / block) * block + block / 2, bit / (width / block) * block + block / 2)
            return number | (frame[x, y][0] > 128 ? 1 << bit : 0)
        }
    }
}

/// A stream of numbered frames through svevents, with 25 frames per second.
final class EventStream {
    static let frame: UInt64 = 40_000_000
    static let second: UInt64 = 1_000_000_000

    let pipeline: Pipeline
    let folder: TemporaryFolder
    let events: Handle
    private let source: Handle
    private let hasAudio: Bool
    private(set) var count = 0
    private(set) var messages: [Fields] = []
    private(set) var warnings: [String] = []

    /// - Parameters:
    ///   - properties: the properties of svevents, in addition to the location.
    ///   - before: elements before svevents, such as an encoder.
    ///   - after: elements after svevents.
    init(
        _ properties: String, name: String = "clip-{label}.mkv", before: String = "identity",
        after: String = "identity",
        hasAudio: Bool = false, folder: TemporaryFolder? = nil
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        let sound =
            hasAudio
            ? " appsrc name=a format=time block=true max-bytes=40000 "
                + "caps=audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved ! e.audio" : ""
        let location = name.isEmpty ? "" : "location=\(folder.path)/\(name)"
        pipeline = try makePipeline(
            "appsrc name=v format=time block=true max-bytes=60000 caps=\(NumberedFrame.draw(0).caps()) ! \(before) "
                + "! svevents name=e \(location) \(properties) ! \(after) ! fakesink sync=false async=false\(sound)")
        self.folder = folder
        self.hasAudio = hasAudio
        (source, events) = (try pipeline.element("v"), try pipeline.element("e"))
        pipeline.handle.set("auto-flush-bus", value: false)
        try pipeline.play()
    }

    /// Pushes frames, and a short sound with each 25th frame.
    func push(_ frames: Int) throws {
        for _ in 0..<frames {
            let time = UInt64(count) * Self.frame
            try pipeline.push(NumberedFrame.draw(count), into: "v", at: time, duration: Self.frame)
            if hasAudio { try pipeline.push(Self.sound(isLoud: count % 25 == 0, at: time), into: "a") }
            count += 1
        }
    }

    private static func sound(isLoud: Bool, at time: UInt64) throws -> Buffer {
        let samples = (0..<1920).map { Int16($0 / 24 % 2 == 0 ? 12_000 : -12_000) * (isLoud ? 1 : 0) }
        let buffer = try samples.withUnsafeBytes {
            try required(gst_buffer_new_memdup($0.baseAddress, gsize($0.count)), "no memory")
        }
        (buffer.pointee.pts, buffer.pointee.duration) = (GstClockTime(time), GstClockTime(frame))
        return Buffer(taking: buffer)
    }

    /// Posts a message as another element would do for the next frame.
    func post(_ structure: String = "svzones, event=enter, zone=door, label=cat", at frame: Int? = nil) {
        let time = UInt64(frame ?? count) * Self.frame
        let text = structure + ", running-time=(guint64)\(time)"
        gst_element_post_message(
            source.element, gst_message_new_element(source.gstObject, gst_structure_from_string(text, nil)))
    }

    func end() throws {
        try pipeline.end("v")
        if hasAudio { try pipeline.end("a") }
        while let message = pipeline.bus.wait(
            GST_MESSAGE_ELEMENT, GST_MESSAGE_EOS, GST_MESSAGE_WARNING, GST_MESSAGE_ERROR)
        {
            guard message.type != GST_MESSAGE_EOS else { break }
            if message.type == GST_MESSAGE_ERROR { throw TestFailure("\(message.text) \(message.details)") }
            note(message)
        }
        try pipeline.stop()
    }

    private func note(_ message: Message) {
        if message.type == GST_MESSAGE_WARNING {
            warnings.append(message.text)
        } else if message.source == "e", let fields = Fields(message.structure) {
            messages.append(fields)
        }
    }

    /// Waits for a message of svevents.
    func wait(for event: String) throws -> Fields {
        while let message = pipeline.bus.wait(GST_MESSAGE_ELEMENT, GST_MESSAGE_WARNING) {
            note(message)
            if let last = messages.last, message.type == GST_MESSAGE_ELEMENT, last.text("event") == event {
                return last
            }
        }
        throw TestFailure("no \(event)")
    }

    func all(_ event: String) -> [Fields] { messages.filter { $0.text("event") == event } }
}

/// The decoded content of a clip.
struct ClipContent {
    var numbers: [Int] = []
    /// The times of the frames, in seconds.
    var times: [Double] = []
    /// The times at which sounds begin, in seconds.
    var sounds: [Double] = []

    init(_ path: String, hasAudio: Bool = false) throws {
        let video = try makePipeline(
            "filesrc location=\(path) ! decodebin ! videoconvert ! video/x-raw,format=BGRx ! appsink name=out sync=false"
        )
        try video.play()
        for sample in try video.pullAll() {
            numbers.append(NumberedFrame.read(sample.frame))
            times.append(Double(sample.pts) / 1e9)
        }
        guard hasAudio else { return }
        let audio = try makePipeline(
            "filesrc location=\(path) ! decodebin ! audioconvert ! audio/x-raw,format=S16LE,channels=1 "
                + "! appsink name=out sync=false")
        try audio.play()
        var wasLoud = false
        let sink = try audio.element("out").cast(to: GstAppSink.self)
        while let sample = gst_app_sink_try_pull_sample(sink, GStreamer.patience) {
            defer { gst_sample_unref(sample) }
            guard let buffer = gst_sample_get_buffer(sample) else { continue }
            let bytes = TestFrame.memory(of: Buffer(taking: gst_buffer_ref(buffer)))
            for index in stride(from: 0, to: bytes.count - 1, by: 2) {
                let level = abs(Int(Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)))
                let time = Double(buffer.pointee.pts) / 1e9 + Double(index / 2) / 48_000
                if level > 6000, !wasLoud { sounds.append(time) }
                if level > 6000 {
                    wasLoud = true
                } else if level < 300, let last = sounds.last, time > last + 0.2 {
                    wasLoud = false
                }
            }
        }
    }

    /// The greatest difference between the time of a loud frame and the time of its sound, in seconds; nil if a loud
    /// frame has no sound.
    var audioOffset: Double? {
        let loud = zip(numbers, times).filter { $0.0 % 25 == 0 }.map(\.1).filter {
            $0 > 0.1 && $0 < (times.last ?? 0) - 0.1
        }
        let offsets = loud.map { time in sounds.map { abs($0 - time) }.min() ?? .infinity }
        return offsets.isEmpty ? nil : offsets.max()
    }
}

/// The function `pipeline`, under a name that does not collide with properties.
private func makePipeline(_ description: String) throws -> Pipeline { try pipeline(description) }
