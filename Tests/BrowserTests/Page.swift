// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport

/// A page of the browser. The page closes when this object is deinitialised, and the browser then forgets its cookies. All
/// pages have the same profile, because Chromium needs a second of CPU time for a new profile.
final class Page {
    private let browser: Browser
    private let (target, session): (String, String)

    enum Device {
        case desktop, phone

        /// Size of the window, in CSS pixels.
        var size: (width: Int, height: Int) { self == .desktop ? (1280, 800) : (390, 844) }
    }

    /// Opens a URL.
    /// - Parameter script: JavaScript that runs before the scripts of the page.
    init(_ browser: Browser, _ address: String, on device: Device = .desktop, running script: String? = nil) throws {
        self.browser = browser
        target = try Self.text(browser.call("Target.createTarget", ["url": "about:blank"]), "targetId")
        session = try Self.text(
            browser.call("Target.attachToTarget", ["targetId": target, "flatten": true]), "sessionId")
        try call("Page.enable")
        try call(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": device.size.width, "height": device.size.height, "deviceScaleFactor": 1,
                "mobile": device == .phone,
            ])
        try call("Emulation.setTouchEmulationEnabled", ["enabled": device == .phone])
        // A page receives keys only if it has the focus. Only one page can have the real focus, so emulate it.
        try call("Emulation.setFocusEmulationEnabled", ["enabled": true])
        if let script { try call("Page.addScriptToEvaluateOnNewDocument", ["source": script]) }
        try call("Page.navigate", ["url": address])
    }

    deinit {
        _ = try? browser.call("Target.closeTarget", ["targetId": target])
        _ = try? browser.call("Storage.clearCookies")
    }

    private static func text(_ object: Browser.Object, _ name: String) throws -> String {
        try required(object[name] as? String, "no \(name)")
    }

    @discardableResult
    func call(_ method: String, _ parameters: Browser.Object = [:]) throws -> Browser.Object {
        try browser.call(method, parameters, session: session)
    }

    // MARK: - What the page says

    /// Returns the value of a JavaScript expression. Returns nil for null and undefined.
    @discardableResult
    func evaluate(_ expression: String) throws -> Any? {
        let answer = try call(
            "Runtime.evaluate",
            ["expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true])
        if let failure = answer["exceptionDetails"] as? Browser.Object {
            let exception = failure["exception"] as? Browser.Object
            throw TestFailure("\(expression): \(exception?["description"] as? String ?? "\(failure)")")
        }
        let value = (answer["result"] as? Browser.Object)?["value"]
        return value is NSNull ? nil : value
    }

    func text(_ expression: String) throws -> String? { try evaluate(expression) as? String }
    func number(_ expression: String) throws -> Double { (try evaluate(expression) as? NSNumber)?.doubleValue ?? .nan }
    func holds(_ expression: String) throws -> Bool { (try evaluate(expression) as? NSNumber)?.boolValue == true }

    /// Waits until an expression is true.
    func wait(_ expression: String) throws {
        let deadline = ContinuousClock.now + .seconds(Browser.patience)
        // While the page loads, evaluating the expression can fail.
        while (try? holds("Boolean(\(expression))")) != true {
            guard ContinuousClock.now < deadline else {
                let state = try? text("document.body.dataset.link + ': ' + document.title")
                throw TestFailure("never: \(expression) (\(state ?? "no page"))")
            }
            usleep(30_000)
        }
    }

    /// Waits until the page shows a newer frame.
    func waitForPicture() throws {
        try wait("document.getElementById('picture')?.dataset.frame")
        let number = try text("document.getElementById('picture').dataset.frame") ?? ""
        try wait("document.getElementById('picture').dataset.frame !== '\(number)'")
    }

    /// Returns JavaScript for the colour of a pixel of the frame on the canvas: `[red, green, blue]`.
    static func pixel(_ x: Int, _ y: Int) -> String {
        "[...document.getElementById('picture').getContext('2d').getImageData(\(x), \(y), 1, 1).data.slice(0, 3)]"
    }

    /// Returns the selector for a part of a property's row.
    static func property(_ element: String, _ name: String, _ rest: String) -> String {
        "[data-element$=\"/\(element)\"][data-property=\"\(name)\"] \(rest)"
    }

    // MARK: - What is done to it

    /// Returns the centre of the node that a selector selects, in window coordinates.
    private func middle(_ selector: String) throws -> (x: Double, y: Double) {
        let node = "document.querySelector('\(selector)')"
        try wait(node)
        let box = try evaluate(
            "(() => { const node = \(node); node.scrollIntoView({ block: 'center', behavior: 'instant' }); "
                + "const box = node.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        let numbers = (box as? [NSNumber] ?? []).map(\.doubleValue)
        guard numbers.count == 2 else { throw TestFailure("\(selector) has no place") }
        return (numbers[0], numbers[1])
    }

    /// Clicks the node that a selector selects.
    func click(_ selector: String) throws {
        let (x, y) = try middle(selector)
        try click(x: x, y: y)
    }

    private func click(x: Double, y: Double) throws {
        for type in ["mouseMoved", "mousePressed", "mouseReleased"] { try mouse(type, x, y) }
    }

    private func mouse(_ type: String, _ x: Double, _ y: Double, isDrag: Bool = false) throws {
        let isPressed = type == "mousePressed" || type == "mouseMoved" && isDrag
        try call(
            "Input.dispatchMouseEvent",
            [
                "type": type, "x": x, "y": y, "button": type == "mouseMoved" && !isDrag ? "none" : "left",
                "buttons": isPressed ? 1 : 0, "clickCount": 1,
            ])
    }

    /// Clicks a position of an `img` element, in pixels of its image.
    func clickImage(_ selector: String, _ x: Double, _ y: Double) throws {
        let place = try evaluate(
            "(() => { const image = document.querySelector('\(selector)'), box = image.getBoundingClientRect(); "
                + "const scale = box.width / image.naturalWidth; "
                + "return [box.x + \(x) * scale, box.y + \(y) * scale]; })()")
        let numbers = (place as? [NSNumber] ?? []).map(\.doubleValue)
        guard numbers.count == 2 else { throw TestFailure("\(selector) has no place") }
        try click(x: numbers[0], y: numbers[1])
    }

    /// Clicks a position of the video, in pixels of the frame.
    func clickVideo(_ x: Double, _ y: Double) throws {
        let (x, y) = try window(x, y)
        try click(x: x, y: y)
    }

    /// Drags with the mouse from one position of the video to another position, in pixels of the frame.
    func drag(from start: (x: Double, y: Double), to end: (x: Double, y: Double)) throws {
        let (from, to) = (try window(start.x, start.y), try window(end.x, end.y))
        try mouse("mouseMoved", from.x, from.y)
        try mouse("mousePressed", from.x, from.y)
        try mouse("mouseMoved", (from.x + to.x) / 2, (from.y + to.y) / 2, isDrag: true)
        try mouse("mouseMoved", to.x, to.y, isDrag: true)
        try mouse("mouseReleased", to.x, to.y)
    }

    /// Replaces the text of a field by typing.
    func type(_ text: String, in selector: String) throws {
        try evaluate("document.querySelector('\(selector)').select()")
        try call("Input.insertText", ["text": text])
    }

    /// Taps a position of the video, in pixels of the frame.
    func tap(_ x: Double, _ y: Double) throws {
        let (x, y) = try window(x, y)
        try call("Input.dispatchTouchEvent", ["type": "touchStart", "touchPoints": [["x": x, "y": y]]])
        try call("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": [[String: Double]]()])
    }

    /// Converts a position of the video, in pixels of the frame, to window coordinates.
    private func window(_ x: Double, _ y: Double) throws -> (x: Double, y: Double) {
        let place = try evaluate(
            "(() => { const canvas = document.getElementById('picture'), box = canvas.getBoundingClientRect(); "
                + "const scale = Math.min(box.width / canvas.width, box.height / canvas.height); "
                + "return [box.x + (box.width - canvas.width * scale) / 2 + \(x) * scale, "
                + "box.y + (box.height - canvas.height * scale) / 2 + \(y) * scale]; })()")
        let numbers = (place as? [NSNumber] ?? []).map(\.doubleValue)
        guard numbers.count == 2 else { throw TestFailure("the picture has no place") }
        return (numbers[0], numbers[1])
    }

    /// Focuses the node that a selector selects, and presses a key.
    func press(_ key: String, code: Int, in selector: String) throws {
        try evaluate("document.querySelector('\(selector)').focus()")
        for type in ["keyDown", "keyUp"] {
            var event: Browser.Object = ["type": type, "key": key, "code": key, "windowsVirtualKeyCode": code]
            // Enter activates a button only if the event has the text "\r".
            if key == "Enter", type == "keyDown" { event["text"] = "\r" }
            try call("Input.dispatchKeyEvent", event)
        }
    }

    /// Selects a local file in a file input.
    func choose(_ path: String, in selector: String) throws {
        let root = try call("DOM.getDocument")["root"] as? Browser.Object
        let node = try call("DOM.querySelector", ["nodeId": root?["nodeId"] as? Int ?? 0, "selector": selector])
        try call("DOM.setFileInputFiles", ["files": [path], "nodeId": node["nodeId"] as? Int ?? 0])
    }
}
