// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging
import TestSupport
import Testing

/// Tests of the keys of all elements except svblend.
@Suite("Keys")
struct KeyTests {
    @Test(
        "What a key did, or why it did nothing, is told",
        arguments: [
            ("svfacemerge", "1", "no face to select"), ("svfacemerge layout=studio", "s", "no merged face to save"),
            ("svfacemerge", "c", "removed the merged face and the selected faces"),
            ("svfacerecognize", "c", "collecting faces of Person 1"), ("svfacerecognize", "t", "learning"),
            ("svfacerecognize", "Delete", "cannot forget: no face in the frame has a name"),
            ("svblobclassify", "l", "no blob to learn"),
        ])
    func told(_ description: String, _ key: String, _ text: String) throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        let frame = TestFrame(.bgra, 32, 24, seed: 140)
        let words = description.split { $0 == " " || $0 == "=" }.map(String.init)
        let element = words[0]
        let harness = try Harness(element, words.count == 3 ? [(words[1], words[2])] : [], like: frame)
        _ = try harness.process(frame)
        harness.press(key)
        let message = try #require(harness.bus.wait(GST_MESSAGE_INFO))
        #expect(message.text == text)
        #expect(message.details == "\(element): \(text)")
    }
}
