// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport
import Testing

/// Tests that the user can set the points of svfacemerge's partner by clicks on the partner image.
extension PageTests {
    private static let isOpen = "document.getElementById(\"points\").open"
    private static let button = Page.property("m", "partner-points", "[data-points]")

    @Test("The points of an uploaded partner are clicked on the image, and removed again")
    func clickedPoints() throws {
        let image = URL(fileURLWithPath: #filePath + "/../../../pipelines/cat.png").standardized.path
        let (pipeline, address) = try shown("\(Self.red) ! svfacemerge name=m partner=\(image)")
        let merge = try pipeline.element("m")
        let page = try page(address)
        try page.wait(isRed())
        // The page cannot read files outside the folder for uploads.
        try page.click(Self.button)
        try page.wait("document.getElementById('toasts').textContent.includes('only uploaded images')")
        #expect(try !page.holds(Self.isOpen))
        try page.choose(image, in: "#upload-input")
        try page.click("[data-use=partner]")
        #expect(try eventually { merge.text("partner") != image })
        try page.wait("document.querySelector('\(Page.property("m", "partner", "select"))').value !== '\(image)'")
        try page.click(Self.button)
        // Until the image is loaded, the window ignores clicks.
        try page.wait("\(Self.isOpen) && document.getElementById('points-hint').textContent.startsWith('Select')")
        #expect(try page.number("document.getElementById('points-image').naturalWidth") == 360)
        #expect(try page.holds("document.getElementById('points-apply').disabled"))
        let eyesAndNose = [(131.0, 253.0), (192, 253), (161, 287)]
        for (x, y) in eyesAndNose { try page.clickImage("#points-image", x, y) }
        try page.evaluate("document.getElementById('points-species').value = 'cat'")
        try page.click("#points-apply")
        try page.wait("!\(Self.isOpen)")
        let words = try #require(merge.text("partner-points")).split(separator: " ")
        #expect(words.first == "cat" && words.count == 4)
        for (word, expected) in zip(words.dropFirst(), eyesAndNose) {
            let numbers = word.split(separator: ",").compactMap { Double($0) }
            #expect(numbers.count == 2)
            // Window coordinates are whole pixels.
            let distance = zip(numbers, [expected.0, expected.1]).map { ($0 - $1).magnitude }.max() ?? .infinity
            #expect(distance <= 1, "\(word)")
        }
        try page.click(Self.button)
        try page.wait("document.querySelectorAll('#points-layer circle').length === 3")
        // If the partner changes meanwhile, the window does not send the points of the old image.
        let (upload, select) = (try #require(merge.text("partner")), Page.property("m", "partner", "select"))
        merge.set("partner", image)
        try page.wait("document.querySelector('\(select)').value === '\(image)'")
        for button in ["#points-apply", "#points-none"] {
            try page.evaluate("document.getElementById('points-refusal').textContent = ''")
            try page.click(button)
            try page.wait("document.getElementById('points-refusal').textContent.includes('has changed since')")
        }
        #expect(merge.text("partner-points")?.hasPrefix("cat ") == true)
        merge.set("partner", upload)
        try page.wait("document.querySelector('\(select)').value === '\(upload)'")
        try page.click("#points-none")
        try page.wait("!\(Self.isOpen)")
        // The closed window keeps no image.
        try page.wait("!document.getElementById('points-image').hasAttribute('src')")
        #expect(merge.text("partner-points") == nil)
    }
}
