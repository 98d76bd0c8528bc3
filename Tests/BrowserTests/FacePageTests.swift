// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Foundation
import Imaging
import TestSupport
import Testing

/// Tests that the user can correct the names of faces on the page.
extension PageTests {
    /// Returns a pipeline that shows a drawn person who does not move. svfacerecognize knows this person.
    private func shownPerson() throws -> (pipeline: Pipeline, address: String) {
        let people = URL(fileURLWithPath: #filePath + "/../../../pipelines/people").standardized.path
        return try shown(
            "videotestsrc is-live=true ! video/x-raw,width=640,height=480,framerate=10/1 ! "
                + "svtestscene scene=people count=1 speed=0 ! svfacedetect name=d draw=false detector=cascade ! "
                + "svfacerecognize name=r people=\(people) algorithm=lbph draw=false")
    }

    private static let button = "document.querySelector(\"#faces button\")"
    private static let title = "document.getElementById('face-title').textContent"
    private static let isOpen = "document.getElementById('face').open"

    /// Waits until the button of the face shows a name, and returns this name.
    private func knownName(_ page: Page) throws -> String {
        try page.wait("\(Self.button) && !/^(Face|unknown)/.test(\(Self.button).textContent)")
        return try #require(try page.text("\(Self.button).textContent"))
    }

    @Test("By keyboard: a name is rejected and does not come back, another name is typed, learned and confirmed")
    func correctedName() throws {
        let (pipeline, address) = try shownPerson()
        let page = try page(address)
        let name = try knownName(page)
        try page.press("Enter", code: 13, in: "#faces button")
        try page.wait("\(Self.isOpen) && \(Self.title) === '\(name)'")
        #expect(try page.text("document.getElementById('face-yes').textContent") == "Yes, this is \(name)")
        #expect(try page.text("document.getElementById('face-no').textContent") == "No, not \(name)")
        #expect(try page.text("document.activeElement.id") == "face-yes")
        try page.press("Enter", code: 13, in: "#face-no")
        try page.wait("!\(Self.isOpen) && \(Self.button) && \(Self.button).textContent !== '\(name)'")
        // If the face has no name, or after "Name…", the user can type a name.
        try page.press("Enter", code: 13, in: "#faces button")
        try page.wait(Self.isOpen)
        if try page.holds("!document.getElementById('face-other').hidden") {
            try page.press("Enter", code: 13, in: "#face-other")
        }
        try page.wait("document.activeElement.id === 'face-name'")
        try page.call("Input.insertText", ["text": "Zoë"])
        try page.press("Enter", code: 13, in: "#face-name")
        try page.wait("!\(Self.isOpen) && \(Self.button)?.textContent === 'Zoë'")
        #expect(try pipeline.element("r").text("phase") == "recognise")
        // Escape closes the window without a change.
        try page.press("Enter", code: 13, in: "#faces button")
        try page.wait("\(Self.isOpen) && \(Self.title) === 'Zoë'")
        try page.press("Escape", code: 27, in: "#face-yes")
        try page.wait("!\(Self.isOpen)")
        #expect(try page.text("\(Self.button).textContent") == "Zoë")
    }

    @Test("On a phone: a tap on a face opens the window on this page only, and confirms the name")
    func tappedName() throws {
        let (pipeline, address) = try shownPerson()
        let (page, other) = (try page(address, on: .phone), try page(address))
        let name = try knownName(page)
        _ = try knownName(other)
        let face = try #require(try foundFace(pipeline))
        // Before the first frame, the page cannot convert the position of a tap to the frame.
        try page.waitForPicture()
        try page.tap(face.x, face.y)
        try page.wait("\(Self.isOpen) && \(Self.title) === '\(name)'")
        #expect(try !other.holds(Self.isOpen))
        try page.click("#face-yes")
        try page.wait("!\(Self.isOpen) && document.getElementById('toasts').textContent.includes('as \(name)')")
        #expect(try page.text("\(Self.button).textContent") == name)
        // A tap next to the face does not open the window.
        try page.tap(5, 5)
        try page.waitForPicture()
        #expect(try !page.holds(Self.isOpen))
    }

    /// Returns the centre of the first face that svfacerecognize reports.
    private func foundFace(_ pipeline: Pipeline) throws -> (x: Double, y: Double)? {
        for _ in 0..<1000 {
            guard let message = pipeline.bus.wait(GST_MESSAGE_ELEMENT) else { return nil }
            guard let fields = Fields(message.structure), fields.name == "svfacerecognize",
                let face = (fields.structures("objects") ?? []).first, let x = face.int("x"), let y = face.int("y"),
                let width = face.int("width"), let height = face.int("height")
            else { continue }
            return (Double(x) + Double(width) / 2, Double(y) + Double(height) / 2)
        }
        return nil
    }
}
