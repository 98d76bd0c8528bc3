// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport
import Testing

/// Tests that the user can draw the zones of svzones on the page. The frame has 320x240 pixels, so the page shows bars
/// beside the frame on the desktop.
extension PageTests {
    private static let layer = "document.getElementById(\"zone-layer\")"
    private static let status = "document.getElementById(\"zone-status\").textContent"
    private static let isClosed = "document.getElementById(\"zone-bar\").hidden"

    /// JavaScript that stores all sent messages in `sent`.
    private static let recorder =
        "window.sent = []; { const send = WebSocket.prototype.send; WebSocket.prototype.send = function (message) { "
        + "window.sent.push(message); send.call(this, message); }; }"

    /// Waits until the page shows the frame, and starts to draw zones.
    private func drawing(_ address: String, on device: Page.Device = .desktop) throws -> Page {
        let page = try page(address, on: device, running: Self.recorder)
        try page.waitForPicture()
        try page.wait("!document.getElementById('zones').hidden")
        try page.click("#zones")
        try page.wait("!\(Self.isClosed)")
        return page
    }

    /// Returns the zones, with positions rounded to multiples of 0.01, because window coordinates are whole pixels.
    private func rounded(_ zones: String?) throws -> String {
        let zones = try #require(zones)
        return zones.replacing(/[0-9]+\.[0-9]+/) { "\(((Double($0.output) ?? .nan) * 100).rounded() / 100)" }
    }

    @Test("By mouse: zones are drawn, named, moved, deleted and applied, and the pipeline gets no pointer events")
    func drawnZones() throws {
        let (pipeline, address) = try shown("\(Self.red) ! svzones name=z zones=\"old: 0.1,0.7 0.3,0.7 0.3,0.9\"")
        let zones = try pipeline.element("z")
        let page = try drawing(address)
        try page.wait("\(Self.layer).querySelector(\"text\")?.textContent === 'old'")
        try page.click("#zone-area")
        for (x, y) in [(160.0, 24.0), (288, 24), (288, 96)] { try page.clickVideo(x, y) }
        try page.press("Enter", code: 13, in: "#zone-layer")
        #expect(try page.text("document.getElementById('zone-name').value") == "area 1")
        // svzones has no escape for the characters of its syntax.
        try page.type("a;b", in: "#zone-name")
        try page.wait("\(Self.status).includes('cannot contain')")
        try page.click("#zone-apply")
        try page.type("Tür <b>", in: "#zone-name")
        try page.click("#zone-line")
        try page.drag(from: (64, 24), to: (64, 120))
        // The direction of a line is reversed, and a corner snaps to the corner of the frame.
        try page.click("#zone-reverse")
        try page.clickVideo(272, 40)
        try page.drag(from: (288, 24), to: (318, 1))
        try page.clickVideo(90, 176)
        try page.click("#zone-delete")
        #expect(zones.text("zones") == "old: 0.1,0.7 0.3,0.7 0.3,0.9")
        try page.click("#zone-apply")
        try page.wait(Self.isClosed)
        #expect(try rounded(zones.text("zones")) == "Tür <b>: 0.5,0.1 1,0 0.9,0.4; line 1: 0.2,0.5 -> 0.2,0.1")
        #expect(try page.holds("!sent.some((text) => /\"(pointer|key)\"/.test(text))"))
        // After the drawing, the pipeline gets pointer events again.
        try page.clickVideo(160, 120)
        try page.wait("sent.some((text) => text.includes('\"press\"'))")
    }

    @Test("A refused text is shown with its reason, and the old zones stay", arguments: ["uploads", "any"])
    func refusedZones(_ files: String) throws {
        let old = "old: 0.1,0.7 0.3,0.7 0.3,0.9"
        let (pipeline, address) = try shown("\(Self.red) ! svzones name=z zones=\"\(old)\"", "files=\(files)")
        let page = try drawing(address)
        try page.click("#zone-area")
        for x in [32.0, 96, 192] { try page.clickVideo(x, 60) }
        try page.press("Enter", code: 13, in: "#zone-layer")
        try page.click("#zone-apply")
        try page.wait("\(Self.status).includes('all corners of the area \"area 1\" are on one line')")
        #expect(try page.text(Self.status)?.contains("zones: at character ") == true)
        #expect(try pipeline.element("z").text("zones") == old)
        #expect(try !page.holds(Self.isClosed))
        // Escape keeps a drawing with changes. Cancel discards the drawing.
        try page.press("Escape", code: 27, in: "#zone-layer")
        #expect(try !page.holds(Self.isClosed))
        try page.click("#zone-cancel")
        try page.wait(Self.isClosed)
        #expect(try pipeline.element("z").text("zones") == old)
    }

    @Test("By keyboard: Escape cancels a shape, and a line is added and moved with the arrow keys")
    func typedZones() throws {
        let (pipeline, address) = try shown("\(Self.red) ! svzones name=z")
        let page = try drawing(address)
        try page.click("#zone-area")
        try page.clickVideo(100, 100)
        #expect(try page.holds("\(Self.layer).querySelector(\".draft\") !== null"))
        try page.press("Escape", code: 27, in: "#zone-layer")
        #expect(try page.holds("\(Self.layer).querySelector(\".draft\") === null"))
        try page.press("Enter", code: 13, in: "#zone-line")
        try page.wait("document.activeElement.id === 'zone-name'")
        for _ in 0..<5 { try page.press("ArrowLeft", code: 37, in: "#zone-layer") }
        try page.press("Enter", code: 13, in: "#zone-apply")
        try page.wait(Self.isClosed)
        #expect(try pipeline.element("z").text("zones") == "line 1: 0.49,0.35 -> 0.49,0.65")
    }

    @Test("On a phone: taps draw an area, and a tap on the first corner finishes the area")
    func tappedZones() throws {
        let (pipeline, address) = try shown("\(Self.red) ! svzones name=z")
        let page = try drawing(address, on: .phone)
        try page.click("#zone-area")
        for (x, y) in [(64.0, 48.0), (256, 48), (256, 192), (64, 48)] { try page.tap(x, y) }
        try page.wait("document.getElementById('zone-name').value === 'area 1'")
        try page.click("#zone-apply")
        try page.wait(Self.isClosed)
        #expect(try rounded(pipeline.element("z").text("zones")) == "area 1: 0.2,0.2 0.8,0.2 0.8,0.8")
        #expect(try page.holds("!sent.some((text) => text.includes('\"pointer\"'))"))
    }

    @Test("With a file, the page shows the zones of the file, and writes neither the file nor the property")
    func zoneFile() throws {
        let folder = try TemporaryFolder()
        let text = #"{"zones": [{"name": "door", "line": [[0.5, 0.1], [0.5, 0.9]]}]}"#
        let path = try folder.write(Array(text.utf8), "zones.json")
        let (pipeline, address) = try shown("\(Self.red) ! svzones name=z zones-location=\(path)")
        let zones = try pipeline.element("z")
        #expect(try eventually { zones.text("active-zones") == "door: 0.5,0.1 -> 0.5,0.9" })
        let page = try drawing(address)
        try page.wait("\(Self.layer).querySelector(\"text\")?.textContent === 'door'")
        #expect(try page.text("document.getElementById('zone-apply').textContent") == "Download")
        try page.click("#zone-apply")
        try page.wait("\(Self.status).includes('zones-location')")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text && zones.text("zones") == nil)
        #expect(try page.holds("!sent.some((text) => text.includes('\"set\"'))"))
        // If the file changes while the user draws, the page does not mention Apply.
        try page.press("Enter", code: 13, in: "#zone-line")
        try page.wait("document.activeElement.id === 'zone-name'")
        _ = try folder.write(Array(text.replacing("door", with: "entrance").utf8), "zones.json")
        try page.wait("\(Self.status).includes('zones in the file changed')")
    }
}
