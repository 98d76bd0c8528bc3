// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Foundation
import Testing

/// The frames of a video file, which is decoded from start to end.
struct Playback {
    /// The times of the frames, in seconds.
    private let times: [Double]
    private let frameDuration: Double

    /// Decodes the file in a separate process. If decoding fails, the test fails.
    init(of path: String) throws {
        let outcome = try Program.decode(
            "filesrc location=\(path) ! decodebin ! video/x-raw ! fakesink silent=false sync=false", options: ["-v"])
        outcome.expectSuccess("playing \(path)")
        #expect(!outcome.errors.contains("WARNING"), "\(outcome.errors)")
        let frames = outcome.output.matches(
            of: #/chain .*? pts: (\d+):(\d+):([\d.]+), duration: (?:\d+:\d+:([\d.]+)|none)/#)
        times = frames.compactMap { frame in
            guard let hours = Double(frame.1), let minutes = Double(frame.2), let seconds = Double(frame.3) else {
                return nil
            }
            return 3600 * hours + 60 * minutes + seconds
        }
        frameDuration = frames.last.flatMap { $0.4 }.flatMap { Double($0) } ?? 0
    }

    var count: Int { times.count }

    /// The time from the first frame to the end of the last frame, in seconds.
    var duration: Double {
        guard let first = times.first, let last = times.last else { return 0 }
        return last - first + frameDuration
    }

    /// Returns the duration that is stored in the file, in seconds. Players show this duration before they play the
    /// file.
    static func statedDuration(of path: String) throws -> Double {
        gst_init(nil, nil)
        let description = "filesrc location=\(path) ! decodebin ! video/x-raw ! fakesink"
        // In the macro, the C string would be freed before the call.
        let parsed = gst_parse_launch(description, nil)
        let pipeline = try #require(parsed)
        gst_object_ref_sink(pipeline)
        defer {
            gst_element_set_state(pipeline, GST_STATE_NULL)
            gst_object_unref(pipeline)
        }
        gst_element_set_state(pipeline, GST_STATE_PAUSED)
        let state = gst_element_get_state(pipeline, nil, nil, 10_000_000_000)
        try #require(state == GST_STATE_CHANGE_SUCCESS, "\(path) cannot be played")
        var duration: gint64 = 0
        try #require(gst_element_query_duration(pipeline, GST_FORMAT_TIME, &duration) != 0)
        return Double(duration) / 1e9
    }
}
