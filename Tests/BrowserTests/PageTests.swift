// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Foundation
import Imaging
import TestSupport
import Testing

/// Tests of svwebsink's page. All tests use the same browser, one after another.
@Suite("svwebsink: the page in Chromium", .serialized, .enabled(if: Browser.program != nil, "\(Browser.absence)"))
struct PageTests {
    private static let browser = Result { try Browser() }
    static let red =
        "videotestsrc is-live=true pattern=solid-color foreground-color=0xffff0000 ! "
        + "video/x-raw,width=320,height=240,framerate=10/1"

    func shown(_ source: String, _ properties: String = "") throws -> (pipeline: Pipeline, address: String) {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        let pipeline = try Pipeline("\(source) ! svwebsink name=s key=k port=0 \(properties)")
        try pipeline.play()
        return (pipeline, try #require(try pipeline.element("s").text("url")))
    }

    func page(
        _ address: String, on device: Page.Device = .desktop, running script: String? = nil
    ) throws -> Page {
        try Page(Self.browser.get(), address, on: device, running: script)
    }

    func isRed(_ place: String = Page.pixel(10, 10)) -> String {
        "(([r, g, b]) => r > 200 && g < 60)(\(place))"
    }

    @Test("The first picture comes; a slider and an enum change it, and a second page follows")
    func steering() throws {
        let (pipeline, address) = try shown("\(Self.red) ! svtint name=tint")
        let (one, other) = (try page(address), try page(address))
        try one.wait(isRed())
        try other.wait(isRed())
        // The page has removed the key from the address bar.
        #expect(try one.text("location.search") == "")
        let slider = Page.property("tint", "red", "input[type=range]")
        try one.wait("document.querySelector('\(slider)')")
        try one.press("Home", code: 36, in: slider)
        try one.wait("(([r]) => r < 30)(\(Page.pixel(10, 10)))")
        try other.wait("(([r]) => r < 30)(\(Page.pixel(10, 10)))")
        try other.wait("document.querySelector('\(slider)').value === '0'")
        #expect(try pipeline.element("tint").get("red", as: Double.self) == 0)
        try one.click(Page.property("tint", "red", ".reset"))
        try one.wait(isRed())
        try one.evaluate(
            "(() => { const list = document.querySelector('[data-property=pattern] select'); list.value = 'black'; "
                + "list.dispatchEvent(new Event('change')); })()")
        try other.wait("(([r, g, b]) => r + g + b < 90)(\(Page.pixel(10, 10)))")
    }

    @Test("An action's button does it: under the picture, and in the panel")
    func action() throws {
        let (pipeline, address) = try shown("\(Self.red) ! svblend name=blend mode=difference opacity=1")
        defer { withExtendedLifetime(pipeline) {} }
        let page = try page(address)
        try page.wait(isRed())
        // The difference from the captured frame is black.
        try page.click("#quick [data-action=capture]")
        try page.wait("(([r, g, b]) => r + g + b < 90)(\(Page.pixel(10, 10)))")
        try page.click("form[data-action=clear] button")
        try page.wait(isRed())
    }

    /// Returns the part of a pipeline file between the source and the sink.
    private func stages(of name: String, _ values: [String: String]) throws -> String {
        let root = URL(fileURLWithPath: #filePath + "/../../..").standardized
        let file = root.appendingPathComponent("pipelines/\(name).pipeline")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        var text = lines.joined(separator: " ")
        for (key, value) in values { text = text.replacing("{\(key)}", with: value) }
        return text
    }

    @Test("Two faces of hybrid-studio are tapped on a phone: they are chosen, and merged")
    func tappedFaces() throws {
        let scene =
            "videotestsrc is-live=true ! video/x-raw,width=640,height=480,framerate=10/1 ! svtestscene scene=both speed=0 seed=2"
        let studio = try stages(
            of: "hybrid-studio",
            ["source": scene, "detector": "cascade", "every": "0", "preset": "smooth", "sink": "identity"])
        let (pipeline, address) = try shown(studio)
        let page = try page(address, on: .phone)
        try page.wait("document.getElementById('picture')?.dataset.frame")
        try page.click("#tab-messages")
        let faces = try #require(try foundFaces(pipeline))
        let log = "document.getElementById('log').textContent"
        try page.tap(faces[0].x, faces[0].y)
        try page.wait("\(log).includes('selected face 1')")
        try page.tap(faces[1].x, faces[1].y)
        try page.wait("\(log).includes('selected face 2 and merged both faces')")
        try page.wait("document.querySelector('[data-message=svfacemerge]')?.textContent.includes('hybrid')")
    }

    /// Returns the centres of the first two faces that svfacedetect reports.
    private func foundFaces(_ pipeline: Pipeline) throws -> [(x: Double, y: Double)]? {
        for _ in 0..<1000 {
            guard let message = pipeline.bus.wait(GST_MESSAGE_ELEMENT) else { return nil }
            guard let fields = Fields(message.structure), fields.name == "svfacedetect" else { continue }
            let faces = (fields.structures("objects") ?? []).filter { ["face", "cat-face"].contains($0.name) }
            let middles = faces.compactMap { face -> (x: Double, y: Double)? in
                guard let x = face.int("x"), let y = face.int("y"), let width = face.int("width"),
                    let height = face.int("height")
                else { return nil }
                return (Double(x) + Double(width) / 2, Double(y) + Double(height) / 2)
            }
            if middles.count >= 2 { return middles }
        }
        return nil
    }

    @Test("A page that shows nothing more holds nothing up, and still steers")
    func deadPage() throws {
        let (pipeline, address) = try shown("\(Self.red) ! svtint name=tint")
        defer { withExtendedLifetime(pipeline) {} }
        let deaf =
            "{ const send = WebSocket.prototype.send; WebSocket.prototype.send = function (message) { "
            + "if (!message.includes('\"ack\"')) send.call(this, message); }; }"
        let (dead, live) = (try page(address, running: deaf), try page(address))
        try dead.wait(isRed())
        let number = try dead.text("document.getElementById('picture').dataset.frame")
        try live.wait(isRed())
        for _ in 0..<30 { try live.waitForPicture() }
        #expect(try dead.text("document.getElementById('picture').dataset.frame") == number)
        try dead.press("Home", code: 36, in: Page.property("tint", "red", "input[type=range]"))
        try live.wait("(([r]) => r < 30)(\(Page.pixel(10, 10)))")
        #expect(try dead.holds(isRed()))
    }

    @Test("A text with half a surrogate is taken, and the socket stays")
    func halfASurrogate() throws {
        let (pipeline, address) = try shown("\(Self.red) ! svblobclassify name=c")
        defer { withExtendedLifetime(pipeline) {} }
        let page = try page(address)
        try page.wait(isRed())
        let field = Page.property("c", "learn-label", "input")
        try page.wait("document.querySelector('\(field)')")
        try page.evaluate(
            "(() => { const field = document.querySelector('\(field)'); field.value = 'a\\ud83d'; "
                + "field.dispatchEvent(new Event('change')); })()")
        try page.wait("document.querySelector('\(field)').dataset.shown === 'a\\ufffd'")
        #expect(try page.text("document.body.dataset.link") == "open")
    }

    @Test("A photo that is added becomes the foreground")
    func upload() throws {
        let folder = try TemporaryFolder()
        let green = TestFrame(.rgb, 320, 240, seed: 1).map { _, _, _ in [0, 255, 0] }
        let path = try folder.write(green, "green.png")
        let (pipeline, address) = try shown("\(Self.red) ! svblend name=blend mode=normal opacity=1")
        defer { withExtendedLifetime(pipeline) {} }
        let page = try page(address)
        try page.wait(isRed())
        try page.choose(path, in: "#upload-input")
        try page.click("[data-use=location]")
        try page.wait("(([r, g]) => r < 60 && g > 200)(\(Page.pixel(160, 120)))")
    }

    @Test("A photo that is added is offered as svfacemerge's partner, and to properties for images only")
    func partner() throws {
        let folder = try TemporaryFolder()
        let photo = try folder.write(TestFrame(.rgb, 64, 48, seed: 1), "ada.png")
        let cascade = try folder.write(Array("<opencv_storage/>".utf8), "eyes.xml")
        let (pipeline, address) = try shown("\(Self.red) ! svfacedetect name=d draw=false ! svfacemerge name=m")
        defer { withExtendedLifetime(pipeline) {} }
        let page = try page(address)
        try page.wait(isRed())
        try page.choose(photo, in: "#upload-input")
        try page.wait("document.querySelector('.toast [data-use]')")
        #expect(
            try page.text("[...document.querySelectorAll('.toast [data-use]')].map((each) => each.textContent).join()")
                == "Use as partner image")
        try page.click("[data-use=partner]")
        #expect(try eventually { try pipeline.element("m").text("partner")?.hasSuffix("/ada.png") == true })
        try page.choose(cascade, in: "#upload-input")
        try page.wait("document.querySelectorAll('#uploads li').length === 2")
        func choices(_ element: String, _ name: String) throws -> String? {
            let list = Page.property(element, name, "option")
            return try page.text("[...document.querySelectorAll('\(list)')].map((each) => each.textContent).join()")
        }
        try page.wait("document.querySelectorAll('\(Page.property("d", "face-cascade", "option"))').length === 2")
        #expect(try choices("m", "partner") == "none,ada.png")
        #expect(try choices("d", "face-cascade") == "none,eyes.xml")
        #expect(try choices("d", "model") == "none")
        #expect(
            try page.text("document.querySelector('#uploads [data-file=\"ada.png\"] select').textContent")?
                .contains("cascade") == false)
    }

    @Test("A recording is made by the button, and can be played")
    func recording() throws {
        let folder = try TemporaryFolder()
        let (pipeline, address) = try shown(Self.red, "upload-location=\(folder.path)")
        defer { withExtendedLifetime(pipeline) {} }
        let page = try page(address)
        try page.wait(isRed())
        try page.click("#record")
        try page.wait("document.getElementById('record').getAttribute('aria-pressed') === 'true'")
        try page.waitForPicture()
        // The button is disabled until the server has answered the request.
        try page.wait("!document.getElementById('record').disabled")
        try page.click("#record")
        try page.wait("document.querySelector('#recordings a')")
        let name = try #require(try page.text("document.querySelector('#recordings li').dataset.file"))
        let player = try Pipeline(
            "filesrc location=\(folder.file(name)) ! decodebin ! videoconvert ! video/x-raw,format=RGB ! appsink name=out sync=false"
        )
        try player.play()
        let frames = try player.pullAll()
        #expect(frames.count >= 1 && frames.allSatisfy { $0.frame.bytes[0] > 200 && $0.frame.bytes[1] < 60 })
    }

    @Test("A wrong key shows a page that says so, and no picture")
    func wrongKey() throws {
        let (pipeline, address) = try shown(Self.red)
        defer { withExtendedLifetime(pipeline) {} }
        let page = try page(address.replacingOccurrences(of: "key=k", with: "key=x"))
        try page.wait("document.title === 'The key is missing or wrong'")
        #expect(try page.holds("document.getElementById('picture') === null"))
    }
}
