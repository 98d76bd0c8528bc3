// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport
import Testing

/// Tests of the row of inputs: thumbnails, preview, Cut, Take and the fader.
extension PageTests {
    private static func color(_ color: String) -> String {
        "videotestsrc is-live=true pattern=solid-color foreground-color=\(color) ! "
            + "video/x-raw,width=320,height=240,framerate=10/1 ! queue ! m. "
    }

    private func switching(_ properties: String = "", after: String = "identity") throws -> (Pipeline, String) {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        let pipeline = try Pipeline(
            "svswitch name=m duration=200000000 ! \(after) ! svwebsink name=s key=k port=0 \(properties) "
                + Self.color("0xffff0000") + Self.color("0xff0000ff") + Self.color("0xff00ff00"))
        try pipeline.pad("m", "sink_0").set("label", "Stage")
        try pipeline.play()
        return (pipeline, try #require(try pipeline.element("s").text("url")))
    }

    private func card(_ number: Int, _ rest: String = "") -> String { "#inputs [data-input=\"\(number)\"] \(rest)" }

    private func isBlue() -> String { "(([r, g, b]) => b > 200 && r < 60)(\(Page.pixel(10, 10)))" }

    @Test("Inputs have labels and thumbnails; preview, Take, Cut, keys and the fader switch the inputs")
    func inputs() throws {
        let (pipeline, address) = try switching()
        let element = try pipeline.element("m")
        let page = try page(address)
        try page.wait(isRed())
        try page.wait("document.querySelectorAll('#inputs .input img:not([hidden])').length === 3")
        #expect(try page.text("document.querySelector('\(card(0, ".input-label"))').textContent") == "Stage")
        #expect(try page.text("document.querySelector('\(card(1, ".input-label"))').textContent") == "sink_1")
        // The thumbnail of a hidden input shows the input.
        try page.wait(
            "(() => { const image = document.querySelector('\(card(1, "img"))'); if (!image.naturalWidth) return false; "
                + "const canvas = document.createElement('canvas').getContext('2d'); canvas.drawImage(image, 0, 0); "
                + "const [r, g, b] = canvas.getImageData(60, 45, 1, 1).data; return b > 200 && r < 60; })()")
        #expect(try page.holds("document.querySelector('#inputs [data-do=take]').ariaDisabled === 'true'"))
        try page.click(card(1))
        try page.wait("document.querySelector('\(card(1))').dataset.state === 'preview'")
        #expect(element.get("preview", as: Int32.self) == 1)
        try page.click("#inputs [data-do=take]")
        try page.wait(isBlue())
        try page.wait("document.querySelector('\(card(1))').dataset.state === 'active'")
        try page.wait("document.querySelector('\(card(0))').dataset.state === 'preview'")
        try page.click("#inputs [data-do=cut]")
        try page.wait(isRed())
        // Keys: 2 selects the preview, C cuts.
        try page.press("2", code: 50, in: card(0))
        try page.wait("document.querySelector('\(card(2))').dataset.state === 'preview'")
        try page.press("c", code: 67, in: card(0))
        try page.wait("(([r, g, b]) => g > 200 && r < 60)(\(Page.pixel(10, 10)))")
        // The fader mixes both inputs in the middle. At the end, it switches, and returns to the start.
        let fader = "document.querySelector('#inputs input[type=range]')"
        func move(_ value: Int) throws {
            try page.evaluate("\(fader).value = \(value); \(fader).dispatchEvent(new Event('input'))")
        }
        try move(500)
        try page.wait("(([r, g]) => r > 70 && r < 190 && g > 70 && g < 190)(\(Page.pixel(10, 10)))")
        #expect(element.get("active", as: UInt32.self) == 2)
        try move(1000)
        try page.wait(isRed())
        try page.wait("\(fader).value === '0'")
        #expect(try eventually { element.get("position", as: Double.self) == 0 })
        #expect(element.get("active", as: UInt32.self) == 0 && element.get("preview", as: Int32.self) == 2)
        // A click on the end of the fader is a cut.
        try move(1000)
        try page.wait("(([r, g, b]) => g > 200 && r < 60)(\(Page.pixel(10, 10)))")
        // The fader also works if another program has left the position at the end.
        #expect(try eventually { element.get("position", as: Double.self) == 0 })
        element.set("position", value: 1.0)
        try page.wait(isRed())
        try page.wait("document.querySelector('\(card(0))').dataset.state === 'active'")
        try move(500)
        try page.wait("(([r, g]) => r > 70 && r < 190 && g > 70 && g < 190)(\(Page.pixel(10, 10)))")
        // The fader stays enabled during a manual transition.
        element.set("preview", value: Int32(-1))
        try page.wait("document.querySelector('#inputs [data-do=cut]').ariaDisabled === 'true'")
        #expect(try page.holds("!\(fader).disabled"))
    }

    @Test(
        "While svoverlay hides, the page shows the reason instead of thumbnails",
        arguments: [Page.Device.desktop, .phone])
    func noThumbnails(_ device: Page.Device) throws {
        let (pipeline, address) = try switching(after: "svblobdetect draw=false message=none ! svoverlay name=o")
        let page = try page(address, on: device)
        try page.wait("document.querySelectorAll('#inputs .input img:not([hidden])').length === 3")
        try pipeline.element("o").set("hide", "blob")
        try page.wait("document.getElementById('inputs-why').textContent.includes('svoverlay hides')")
        #expect(try page.holds("document.querySelectorAll('#inputs .input img:not([hidden])').length === 0"))
        try page.wait("document.querySelectorAll('#inputs .input').length === 3")
        // The row fits the page.
        #expect(try page.holds("document.documentElement.scrollWidth <= innerWidth"))
    }
}
