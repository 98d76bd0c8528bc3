// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import TestSupport
import Testing

/// Tests of the warnings of elements that need detections of other elements. The streams have one frame.
@Suite("Nothing upstream")
struct UpstreamTests {
    private func warnings(_ elements: String) throws -> [String] {
        let line = try pipeline("videotestsrc num-buffers=1 ! \(elements) ! fakesink")
        try line.play()
        // Collect the warnings that are posted before the end of the stream.
        var texts: [String] = []
        while let message = line.bus.wait(GST_MESSAGE_WARNING, GST_MESSAGE_EOS, GST_MESSAGE_ERROR) {
            guard message.type == GST_MESSAGE_WARNING else {
                #expect(message.type == GST_MESSAGE_EOS, "\(message.text)")
                break
            }
            texts.append(message.text)
        }
        return texts
    }

    @Test(
        "One frame without a detector: a warning at the end names what to put where",
        arguments: [
            ("svfacemerge layout=swap", "faces", "svfacedetect"), ("svoverlay", "objects", "svfacedetect"),
            ("svblobclassify learn-label=x", "blobs", "svblobdetect"),
            ("svfacerecognize collect-name=Ada", "faces", "svfacedetect"),
        ])
    func alone(_ element: String, _ objects: String, _ detector: String) throws {
        let texts = try warnings(element)
        #expect(texts.count == 1 && texts[0].contains("no element upstream detects \(objects)."), "\(texts)")
        #expect(texts.allSatisfy { $0.contains(detector) && $0.contains(element.split(separator: " ")[0]) })
    }

    @Test(
        "One frame with a detector that finds nothing: no warning",
        arguments: [
            "svfacedetect draw=false ! svfacemerge layout=swap", "svfacedetect draw=false ! svoverlay",
            "svfacedetect mode=async ! svoverlay", "svblobdetect draw=false ! svoverlay", "svoverlay fps=true",
            "svblobdetect draw=false ! svblobclassify learn-label=x",
            "svfacedetect draw=false ! svfacerecognize collect-name=Ada",
            "svtestscene scene=faces ! svoverlay truth=true",
        ])
    func withDetector(_ elements: String) throws {
        #expect(try warnings(elements).isEmpty)
    }

    @Test("svfacerecognize with nobody to know says so")
    func nobody() throws {
        let texts = try warnings("svfacedetect draw=false ! svfacerecognize")
        #expect(texts.count == 1 && texts[0].contains("no person is learned"), "\(texts)")
    }
}
