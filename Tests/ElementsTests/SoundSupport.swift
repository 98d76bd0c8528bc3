// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import TestSupport

/// Mono sound with 48000 samples per second.
enum TestSound {
    static let rate = 48000
    static let caps = "audio/x-raw,format=F32LE,rate=48000,channels=1,layout=interleaved"
    /// An appsink for sound. With async=false, it does not keep the pipeline from its start.
    static func sink(_ name: String) -> String { "appsink name=\(name) sync=false async=false" }

    /// Returns a buffer with samples. Its timestamp is the time of the sample `start`.
    static func buffer(_ samples: [Float], from start: Int) throws -> Buffer {
        let buffer = try required(gst_buffer_new_allocate(nil, gsize(samples.count * 4), nil), "no memory")
        samples.withUnsafeBytes { _ = gst_buffer_fill(buffer, 0, $0.baseAddress, gsize($0.count)) }
        buffer.pointee.pts = GstClockTime(start) * GstClockTime(GStreamer.second) / GstClockTime(rate)
        buffer.pointee.duration =
            GstClockTime(samples.count) * GstClockTime(GStreamer.second) / GstClockTime(rate)
        return Buffer(taking: buffer)
    }
}

extension Pipeline {
    /// Pushes constant samples in buffers of 960 samples (20 ms).
    func pushSound(_ level: Float, _ range: Range<Int>, into source: String) throws {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 960) {
            let count = min(960, range.upperBound - start)
            try push(TestSound.buffer(Array(repeating: level, count: count), from: start), into: source)
        }
    }

    /// Returns the samples at an appsink: `count` samples, or all samples until the end of the stream. The timestamps
    /// must have no gap.
    /// - Parameter start: the number of the first sample.
    func sound(_ sink: String, _ count: Int = .max, from start: Int = 0) throws -> [Float] {
        let appSink = try element(sink).cast(to: GstAppSink.self)
        var samples: [Float] = []
        while samples.count < count {
            guard let sample = gst_app_sink_try_pull_sample(appSink, GStreamer.patience) else {
                guard gst_app_sink_is_eos(appSink) != 0 else { throw TestFailure("no sound after \(samples.count)") }
                break
            }
            defer { gst_sample_unref(sample) }
            let buffer = try required(gst_sample_get_buffer(sample), "no buffer")
            let expected = Double(start + samples.count) * 1e9 / Double(TestSound.rate)
            guard abs(Double(buffer.pointee.pts) - expected) < 20_000 else {
                throw TestFailure("sample \(start + samples.count) is at \(buffer.pointee.pts) ns")
            }
            var part = [Float](repeating: 0, count: Int(gst_buffer_get_size(buffer)) / 4)
            part.withUnsafeMutableBytes { _ = gst_buffer_extract(buffer, 0, $0.baseAddress, gsize($0.count)) }
            samples += part
        }
        return samples
    }
}
