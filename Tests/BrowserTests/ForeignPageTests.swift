// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport
import Testing

/// Tests with pages of other servers. The same browser has opened svwebsink's page before.
extension PageTests {
    /// Returns JavaScript that tries to connect a WebSocket. Its result is "refused" or "accepted".
    private func connecting(to address: String) -> String {
        "new Promise(done => { const socket = new WebSocket('\(address)'); "
            + "socket.onerror = () => done('refused'); socket.onopen = () => done('accepted'); })"
    }

    /// Returns JavaScript that uploads or loads a file. Its result is "refused" or the status.
    private func fetching(_ address: String, _ method: String, _ mode: String) -> String {
        "fetch('\(address)', { method: '\(method)', mode: '\(mode)', credentials: 'include', "
            + "body: '\(method)' === 'GET' ? undefined : 'x' }).then(answer => 'status ' + answer.status, () => 'refused')"
    }

    private func loadingImage(_ address: String) -> String {
        "new Promise(done => { const image = new Image(); image.onload = () => done('loaded'); "
            + "image.onerror = () => done('refused'); image.src = '\(address)'; })"
    }

    @Test(
        "A page of another port or host neither connects nor reads nor uploads, with the visitor's cookies or with a key",
        arguments: ["127.0.0.1", "localhost"])
    func foreignPage(_ host: String) throws {
        let folder = try TemporaryFolder()
        let (pipeline, address) = try shown("\(Self.red) ! svtint name=tint", "upload-location=\(folder.path)")
        let (other, otherAddress) = try shown(Self.red)
        defer { withExtendedLifetime((pipeline, other)) {} }
        let page = try page(address)
        try page.wait(isRed())
        let server = try #require(try page.text("location.host"))
        let foreign = otherAddress.replacingOccurrences(of: "127.0.0.1", with: host)
        // The page's own Content-Security-Policy is not the subject of this test.
        try page.call("Page.setBypassCSP", ["enabled": true])
        try page.call("Page.navigate", ["url": foreign])
        try page.wait("location.host !== '\(server)' && location.search === '' && document.getElementById('picture')")
        try page.wait(isRed())
        for query in ["", "?key=k"] {
            #expect(try page.text(connecting(to: "ws://\(server)/socket\(query)")) == "refused")
            #expect(try page.text(loadingImage("http://\(server)/picture.png\(query)")) == "refused")
            for mode in ["cors", "no-cors"] {
                let url = "http://\(server)/picture.png\(query)"
                #expect(try page.text(fetching(url, "GET", mode)) == "refused")
            }
            #expect(try page.text(fetching("http://\(server)/uploads/x\(query)", "PUT", "cors")) == "refused")
        }
        #expect(folder.names.isEmpty)
        // The user goes back, and the session is still valid.
        try page.call("Page.navigate", ["url": "http://\(server)/"])
        try page.wait(isRed())
    }

    @Test("A page without an origin does not connect, even with the key")
    func pageFromNowhere() throws {
        let (pipeline, address) = try shown(Self.red)
        defer { withExtendedLifetime(pipeline) {} }
        let page = try page("data:text/html,<title>nowhere</title>")
        try page.wait("document.title === 'nowhere'")
        let socket = address.replacing("http:", with: "ws:").replacing("/?", with: "/socket?")
        #expect(try page.text("self.origin") == "null")
        #expect(try page.text(connecting(to: socket)) == "refused")
    }

    @Test("A page that was opened by a link from elsewhere can be loaded again, and no script can read its session")
    func linkFromElsewhere() throws {
        let (pipeline, address) = try shown(Self.red)
        let (other, otherAddress) = try shown(Self.red)
        defer { withExtendedLifetime((pipeline, other)) {} }
        let page = try page(otherAddress.replacingOccurrences(of: "127.0.0.1", with: "localhost"))
        try page.wait(isRed())
        try page.evaluate("location.href = '\(address)'")
        try page.wait("location.hostname === '127.0.0.1' && location.search === ''")
        try page.wait(isRed())
        #expect(try page.text("document.cookie") == "")
        try page.evaluate("document.title = 'before'")
        try page.call("Page.reload")
        try page.wait("document.title !== 'before' && document.getElementById('picture') && \(isRed())")
    }

    @Test("A page comes back after a restart of the pipeline with the same key and port")
    func restart() throws {
        let (pipeline, address) = try shown("\(Self.red) ! svtint name=tint")
        let page = try page(address)
        try page.wait(isRed())
        let port = try #require(Int(try page.text("location.port") ?? ""))
        try pipeline.stop()
        try page.wait("document.body.dataset.link !== 'open'")
        let sink = try pipeline.element("s")
        sink.set("port", "\(port)")
        try pipeline.play()
        try page.wait("document.body.dataset.link === 'open'")
        try page.waitForPicture()
    }
}
