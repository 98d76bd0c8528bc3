// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import TestSupport
import Testing

/// A mixer between the appsrc elements in0, in1 … and the appsink out. The pipeline does not play yet.
struct MixerLine {
    let pipeline: Pipeline

    /// - Parameters:
    ///   - properties: properties of the mixer and its pads as in pipeline descriptions, such as `sink_1::mode=add`.
    ///   - output: the caps after `video/x-raw`, such as `,format=BGRA`.
    ///   - inputs: for each input, a frame with the caps of the input, and the frame rate.
    init(_ properties: String = "", output: String = "", inputs: [(frame: TestFrame, rate: String)]) throws {
        let sources = inputs.enumerated().map { index, input in
            "appsrc name=in\(index) format=time caps=\(input.frame.caps(rate: input.rate)) ! mix.sink_\(index)"
        }
        pipeline = try TestSupport.Pipeline.registered(
            "svmixer name=mix \(properties) ! video/x-raw\(output) ! appsink name=out sync=false "
                + sources.joined(separator: " "))
    }

    /// Pushes frames to an input without gaps, starting at time 0. Then ends the input.
    func feed(_ index: Int, _ frames: [TestFrame], every period: UInt64 = 40_000_000) throws {
        for (number, frame) in frames.enumerated() {
            try pipeline.push(frame, into: "in\(index)", at: UInt64(number) * period, duration: period)
        }
        try pipeline.end("in\(index)")
    }

    func pad(_ index: Int) throws -> Handle { try pipeline.pad("mix", "sink_\(index)") }
}

extension Pipeline {
    static func registered(_ description: String) throws -> Pipeline {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        return try Pipeline(description)
    }
}

/// Mixes one frame of each input.
func mix(_ properties: String = "", output: String = "", _ inputs: TestFrame...) throws -> TestFrame {
    let line = try MixerLine(properties, output: output, inputs: inputs.map { ($0, "25/1") })
    try line.pipeline.play()
    for (index, frame) in inputs.enumerated() { try line.feed(index, [frame]) }
    let samples = try line.pipeline.pullAll()
    #expect(samples.count == 1)
    return try #require(samples.first).frame
}
