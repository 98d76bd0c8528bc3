// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport
import Testing

/// Tests of the sliders for the parameters of svfilter.
extension PageTests {
    private func fader(_ path: String, _ rest: String) -> String { Page.property("f", path, rest) }

    @Test("A fader sets a parameter of the chain, a second page follows, and a new chain has new faders")
    func faders() throws {
        let chain = "exposure ev=0 | gamma gamma=1->1.5@1s | exposure ev=0"
        let (pipeline, address) = try shown("\(Self.red) ! svfilter name=f filters=\"\(chain)\"")
        let filter = try pipeline.element("f")
        let (one, other) = (try page(address), try page(address))
        try one.wait(isRed())
        try other.wait(isRed())
        let slider = fader("exposure#2.ev", "input[type=range]")
        for each in [one, other] { try each.wait("document.querySelector('\(slider)')") }
        #expect(try one.number("document.querySelectorAll('.fader-group').length") == 3)
        // 255 · 2⁻⁵ = 8
        try one.press("Home", code: 36, in: slider)
        try one.wait("(([r, g, b]) => r + g + b < 60)(\(Page.pixel(10, 10)))")
        try other.wait("document.querySelector('\(fader("exposure#2.ev", ".number"))').value === '-5'")
        #expect(try other.text("document.querySelector('\(fader("exposure.ev", ".number"))').value") == "0")
        #expect(filter.text("filters") == chain)
        // The reset button sets the default of the filter: 0.5.
        try other.click(fader("exposure#2.ev", ".reset"))
        try one.wait("document.querySelector('\(fader("exposure#2.ev", ".number"))').value === '0.5'")
        try one.wait(isRed())
        // A fader ends a fade, and its slider keeps the focus.
        try one.wait("document.querySelector('\(fader("gamma.gamma", ""))').textContent.includes('fades')")
        try one.press("End", code: 35, in: fader("gamma.gamma", "input[type=range]"))
        try one.wait("!document.querySelector('\(fader("gamma.gamma", ""))').textContent.includes('fades')")
        #expect(try one.text("document.activeElement.type") == "range")
        filter.set("filters", "invert")
        try one.wait("document.querySelectorAll('.fader-group').length === 1")
        try one.wait("document.querySelector('\(fader("invert.intensity", ""))')")
        filter.set("filters", "none")
        try one.wait("document.querySelector('.faders').hidden")
    }

    @Test("Without control, the page has no faders, and a chain from a file has faders")
    func fileFaders() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Array("exposure ev=0".utf8), "look.filters")
        let (pipeline, address) = try shown("\(Self.red) ! svfilter name=f filters-file=\(path)")
        let page = try page(address)
        try page.wait(isRed())
        let slider = fader("exposure.ev", "input[type=range]")
        try page.wait("document.querySelector('\(slider)')")
        try page.press("Home", code: 36, in: slider)
        try page.wait("(([r, g, b]) => r + g + b < 60)(\(Page.pixel(10, 10)))")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "exposure ev=0")
        withExtendedLifetime(pipeline) {}
        let (watched, watchedAddress) = try shown("\(Self.red) ! svfilter filters=exposure", "control=false")
        defer { withExtendedLifetime(watched) {} }
        let viewer = try self.page(watchedAddress)
        try viewer.waitForPicture()
        #expect(try viewer.holds("document.querySelector('.faders') === null"))
    }
}
