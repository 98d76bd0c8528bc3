// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Foundation
import Imaging
import Synchronization
import TestSupport
import Testing

/// Tests of the property `sound` of the pads of svswitch.
@Suite("svswitch: sound")
struct SwitchSoundTests {
    private static let image = TestFrame(.bgra, 16, 8, color: .black)
    private static let frame = GStreamer.second / 25

    /// A switch with three inputs. The sounds of the inputs are constant, so the samples show the volumes.
    private final class Desk: Sendable {
        typealias Step = @Sendable (Desk) -> Void
        let line: Pipeline
        let element: Handle
        private let shown = Mutex(0)
        private let steps: [Int: Step]

        /// - Parameter steps: the functions that run before the frame with this number.
        init(_ properties: String, _ steps: [Int: Step] = [:]) throws {
            self.steps = steps
            let inputs = (0..<3).map {
                "appsrc name=in\($0) format=time caps=\(image.caps()) ! s.sink_\($0) "
                    + "appsrc name=sound\($0) format=time caps=\(TestSound.caps) ! volume name=v\($0) ! "
                    + TestSound.sink("out\($0)")
            }
            line = try pipeline(
                "svswitch name=s timeout=10000000000 sink_0::sound=v0 sink_1::sound=v1 sink_2::sound=v2 "
                    + "\(properties) ! video/x-raw,format=BGRA ! "
                    + "appsink name=out sync=false " + inputs.joined(separator: " "))
            element = try line.element("s")
            // The streaming thread runs the steps, because it decides about the next frame after the last frame has
            // left the switch.
            gst_pad_add_probe(
                try line.pad("s", "src").pad, GST_PAD_PROBE_TYPE_BUFFER,
                { _, _, data in
                    if let data { Unmanaged<Box>.fromOpaque(data).takeUnretainedValue().desk?.count() }
                    return GST_PAD_PROBE_OK
                }, Unmanaged.passRetained(Box(self)).toOpaque(),
                { if let data = $0 { Unmanaged<Box>.fromOpaque(data).release() } })
        }

        private final class Box: @unchecked Sendable {
            // Unchecked because of the weak reference, which the runtime protects.
            weak var desk: Desk?
            init(_ desk: Desk) { self.desk = desk }
        }

        private func count() {
            let number = shown.withLock { shown in
                shown += 1
                return shown
            }
            steps[number]?(self)
        }

        /// Shows frames.
        func run(_ count: Int) throws {
            try line.play()
            try show(0..<count)
            for index in 0..<3 { try line.end("in\(index)") }
            #expect(try line.pullAll().count == count)
        }

        func show(_ range: Range<Int>) throws {
            for number in range {
                for index in 0..<3 {
                    try line.push(
                        image, into: "in\(index)", at: UInt64(number) * frame, duration: frame)
                }
            }
        }

        /// Sends one second of sound to each input, and returns the volumes of all samples of the inputs.
        func volumes(_ seconds: Double = 1) throws -> [[Float]] {
            try (0..<3).map { index in
                try line.pushSound(1, 0..<Int(seconds * 48000), into: "sound\(index)")
                try line.end("sound\(index)")
                return try line.sound("out\(index)")
            }
        }

        func emit(_ action: String) { _ = element.ask(action, as: Bool.self) }
    }

    private func expect(
        _ samples: [Float], _ what: String, _ place: SourceLocation = #_sourceLocation,
        _ expected: (Double) -> Double
    ) {
        let worst = samples.indices.max { error(samples, $0, expected) < error(samples, $1, expected) } ?? 0
        #expect(
            error(samples, worst, expected) < 0.01,
            "\(what): \(samples[worst]) at \(time(worst)) instead of \(expected(time(worst)))", sourceLocation: place)
    }

    private func time(_ index: Int) -> Double { Double(index) / 48000 }

    private func error(_ samples: [Float], _ index: Int, _ expected: (Double) -> Double) -> Double {
        abs(Double(samples[index]) - expected(time(index)))
    }

    /// The greatest difference between two neighbouring samples.
    private func step(_ samples: [Float]) -> Float { zip(samples, samples.dropFirst()).map { abs($1 - $0) }.max() ?? 0 }

    /// Returns the progress of a transition of 400 ms, from 0.2 s on.
    private func progress(_ time: Double) -> Double { min(max((time - 0.2) / 0.4, 0), 1) }

    @Test("The sound follows a transition with equal power", arguments: ["linear", "smooth"])
    func transition(_ easing: String) throws {
        let desk = try Desk("duration=400000000 easing=\(easing)", [5: { $0.element.emit("switch-to", UInt32(1)) }])
        try desk.run(20)
        let volumes = try desk.volumes()
        func eased(_ time: Double) -> Double {
            let t = progress(time)
            return easing == "linear" ? t : t * t * (3 - 2 * t)
        }
        expect(volumes[0], "old") { cos(eased($0) * .pi / 2) }
        expect(volumes[1], "new") { sin(eased($0) * .pi / 2) }
        expect(volumes[2], "other") { _ in 0 }
        for samples in volumes { #expect(step(samples) < 0.001) }
    }

    @Test("A cut, take and an immediate position switch the sound within 10 ms, without a click")
    func cuts() throws {
        let steps: [Desk.Step] = [
            { $0.emit("cut") }, { $0.element.set("position", value: 1.0) },
            { desk in
                desk.element.set("duration", value: UInt64(0))
                desk.emit("take")
            },
        ]
        for (index, step) in steps.enumerated() {
            let desk = try Desk("preview=1 duration=400000000", [5: step])
            try desk.run(20)
            let volumes = try desk.volumes()
            for (time, expected) in [(0.199, (1, 0)), (0.211, (0, 1))] as [(Double, (Float, Float))] {
                let sample = Int(time * 48000)
                #expect(abs(volumes[0][sample] - expected.0) < 0.01, "\(index) \(time)")
                #expect(abs(volumes[1][sample] - expected.1) < 0.01, "\(index) \(time)")
            }
            for samples in volumes { #expect(self.step(samples) < 0.005) }
        }
    }

    @Test("The sound follows the position of a manual transition, and returns if the transition is cancelled")
    func manual() throws {
        let desk = try Desk(
            "preview=2",
            [
                5: { $0.element.set("position", value: 0.5) }, 10: { $0.element.set("position", value: 0.8) },
                15: { $0.element.set("position", value: 0.0) },
            ])
        try desk.run(20)
        let volumes = try desk.volumes()
        for (time, position) in [(0.19, 0), (0.245, 0.5), (0.395, 0.5), (0.445, 0.8), (0.59, 0.8), (0.645, 0)] {
            let sample = Int(time * 48000)
            #expect(abs(Double(volumes[0][sample]) - cos(position * .pi / 2)) < 0.01, "old at \(time)")
            #expect(abs(Double(volumes[2][sample]) - sin(position * .pi / 2)) < 0.01, "new at \(time)")
        }
        expect(volumes[1], "other") { _ in 0 }
        for samples in volumes { #expect(step(samples) < 0.005) }
    }

    @Test("Sound that is processed before the transition begins later, and without a click")
    func late() throws {
        let steps: [Int: Desk.Step] = [5: { $0.element.emit("switch-to", UInt32(1)) }]
        let desk = try Desk("duration=400000000 easing=linear", steps)
        try desk.line.play()
        // The sinks take sound only after the first frame.
        try desk.show(0..<3)
        var samples: [[Float]] = []
        // 0.3 s of sound pass before the transition.
        for index in 0..<3 {
            try desk.line.pushSound(1, 0..<14400, into: "sound\(index)")
            samples.append(try desk.line.sound("out\(index)", 14400))
        }
        try desk.show(3..<20)
        for index in 0..<3 { try desk.line.end("in\(index)") }
        #expect(try desk.line.pullAll().count == 20)
        for index in 0..<3 {
            try desk.line.pushSound(1, 14400..<48000, into: "sound\(index)")
            try desk.line.end("sound\(index)")
            samples[index] += try desk.line.sound("out\(index)", from: 14400)
        }
        // The fade begins at 0.3 s and ends with the transition.
        func late(_ time: Double) -> Double { min(max((time - 0.3) / 0.3, 0), 1) }
        expect(samples[0], "old") { cos(late($0) * .pi / 2) }
        expect(samples[1], "new") { sin(late($0) * .pi / 2) }
        for samples in samples { #expect(step(samples) < 0.001) }
    }

    @Test("Behind an audiomixer, the sum of two sounds follows the transition")
    func mixed() throws {
        let line = try pipeline(
            "svswitch name=s duration=400000000 easing=linear every=200000000 sink_0::sound=v0 sink_1::sound=v1 ! fakesink "
                + "async=false sync=false "
                + "videotestsrc num-buffers=20 ! video/x-raw,width=16,height=8,framerate=25/1 ! s. "
                + "videotestsrc num-buffers=20 ! video/x-raw,width=16,height=8,framerate=25/1 ! s. "
                + "appsrc name=sound0 format=time caps=\(TestSound.caps) ! volume name=v0 ! mix.sink_0 "
                + "appsrc name=sound1 format=time caps=\(TestSound.caps) ! volume name=v1 ! mix.sink_1 "
                + "audiomixer name=mix sink_1::volume=0.5 ! \(TestSound.caps) ! \(TestSound.sink("out"))")
        try line.play()
        // The sound follows after the image, so that the test does not depend on the speed of the threads.
        while try !#require(line.bus.wait(GST_MESSAGE_ELEMENT)).structure.contains("transition-ended") {}
        for index in 0..<2 {
            try line.pushSound(index == 0 ? 0.5 : 0.25, 0..<28800, into: "sound\(index)")
            try line.end("sound\(index)")
        }
        let samples = try line.sound("out")
        #expect(samples.count >= 28800)
        expect(Array(samples.prefix(28800)), "sum") { time in
            let p = self.progress(time)
            return 0.5 * cos(p * .pi / 2) + 0.5 * 0.25 * sin(p * .pi / 2)
        }
    }

    @Test("After each stop, the elements have their volumes again, and the next start works", arguments: [3])
    func restarts(_ count: Int) throws {
        let line = try pipeline(
            "svswitch name=s active=1 sink_0::sound=v0 sink_1::sound=v1 ! appsink name=out sync=false max-buffers=1 "
                + "videotestsrc ! video/x-raw,width=16,height=8,framerate=25/1 ! s. "
                + "videotestsrc ! video/x-raw,width=16,height=8,framerate=25/1 ! s. "
                + "audiotestsrc wave=square volume=1 ! \(TestSound.caps) ! volume name=v0 volume=0.3 ! "
                + "\(TestSound.sink("out0")) max-buffers=4 audiotestsrc wave=square volume=1 ! \(TestSound.caps) ! "
                + "volume name=v1 volume=0.4 ! \(TestSound.sink("out1")) max-buffers=4")
        for _ in 0..<count {
            try line.play()
            for _ in 0..<5 { _ = try #require(try line.pull()) }
            #expect(try line.sound("out0", 4000).allSatisfy { $0 == 0 })
            #expect(try line.sound("out1", 4000).allSatisfy { abs(abs($0) - 1) < 0.001 })
            try line.stop()
            // The element stores its volume with 32 bits.
            for (name, volume) in [("v0", 0.3), ("v1", 0.4)] {
                #expect(abs(try #require(line.element(name).get("volume", as: Double.self)) - volume) < 1e-6)
            }
        }
        #expect(line.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("A missing or unsuitable element causes a warning, and the image plays")
    func missing() throws {
        let line = try pipeline(
            "svswitch name=s sink_0::sound=absent sink_1::sound=s ! appsink name=out sync=false max-buffers=1 "
                + "videotestsrc ! video/x-raw,width=16,height=8,framerate=25/1 ! s. "
                + "videotestsrc ! video/x-raw,width=16,height=8,framerate=25/1 ! s. ")
        try line.play()
        for _ in 0..<60 { _ = try #require(try line.pull()) }
        let warnings = line.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).map(\.text).sorted()
        #expect(warnings.count == 2, "\(warnings)")
        #expect(warnings.first?.contains("no element \"absent\"") == true)
        #expect(warnings.last?.contains("no controllable property volume") == true)
    }

    @Test("An element that is removed while it plays causes one warning, and a new element replaces it")
    func removed() throws {
        let line = try pipeline(
            "svswitch name=s active=1 sink_0::sound=v0 ! appsink name=out sync=false max-buffers=1 "
                + "videotestsrc ! video/x-raw,width=16,height=8,framerate=25/1 ! s. "
                + "videotestsrc ! video/x-raw,width=16,height=8,framerate=25/1 ! s. volume name=v0")
        let bin = line.handle.cast(to: GstBin.self)
        try line.play()
        _ = try #require(try line.pull())
        do {
            let volume = try line.element("v0")
            gst_bin_remove(bin, volume.element)
            gst_element_set_state(volume.element, GST_STATE_NULL)
        }
        for _ in 0..<30 { _ = try #require(try line.pull()) }
        #expect(line.bus.pending(GST_MESSAGE_WARNING).map(\.text).count == 1)
        let new = try Handle(factory: "volume", [("name", "v0")])
        gst_bin_add(bin, new.element)
        // A control binding shows that svswitch has found the element.
        while true {
            _ = try #require(try line.pull())
            guard let binding = gst_object_get_control_binding(new.gstObject, "volume") else { continue }
            gst_object_unref(binding)
            break
        }
        try line.stop()
        #expect(new.get("volume", as: Double.self) == 1)
    }
}
