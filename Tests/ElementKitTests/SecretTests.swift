// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Files
import TestScope
import TestSupport
import Testing

@Suite("Control: secrets")
struct SecretTests {
    @Test(
        "Properties and fields that hold secrets are recognized by their names",
        arguments: [
            "password", "user-pw", "proxy-pw", "passphrase", "auth-token", "access-key", "secret-access-key",
            "session-token",
            "streamid", "stream-id", "srtp-key", "extra-headers", "cookies", "Authorization", "X-Api-Key", "apiKey",
            "pubPasswd",
            "tls-key", "key", "shared_secret", "pem", "a-crypto", "a-ice-pwd", "client-credentials", "signature",
        ])
    func secretNames(_ name: String) { #expect(Secrets.hasSecret(named: name)) }

    @Test(
        "Names of other properties and fields are not",
        arguments: [
            "location", "uri", "user-id", "pattern", "password-file", "tls-key-file", "key-location", "stream-format",
            "title",
            "pixel-aspect-ratio", "compass", "keyframe-mode", "multipass-cache-file", "caps", "address",
        ])
    func otherNames(_ name: String) { #expect(!Secrets.hasSecret(named: name)) }

    private static let texts: [(String, String)] = [
        ("rtsp://admin:first-secret@camera/", "rtsp://•••@camera/"),
        ("cannot reach rtsp://admin:a@b@camera:554/live, gone", "cannot reach rtsp://•••@camera:554/live, gone"),
        ("(https://token@example.org/x)", "(https://•••@example.org/x)"),
        ("rtsp://u:p/w@camera", "rtsp://•••@camera"),
        ("rtsp://u:pa \"ss@camera/a b", "rtsp://•••@camera/a b"),
        ("http://cam:80/v?key=abc&x=1#t", "http://cam:80/v?•••"),
        ("srt://host:7001?passphrase=0123456789&streamid=#!::u=me", "srt://host:7001?•••"),
        ("rtmp://a.example/live2/abcd-efgh-ijkl", "rtmp://a.example/live2/•••"),
        ("rtmps://u:p@a.example:443/rtmp/KEY/x?y", "rtmps://•••@a.example:443/rtmp/•••?•••"),
        ("turn://user:pass@[::1]:3478", "turn://•••@[::1]:3478"),
        ("proxy user:secret@proxy:8080 refused", "proxy •••@proxy:8080 refused"),
        ("pubUser=me pubPasswd=abc token=x,y", "pubUser=me pubPasswd=••• token=•••,y"),
        ("Authorization: Basic YWRtaW46\nHost: a", "Authorization: •••\nHost: a"),
        (#"{"token": "a\"b", "place": "hall"}"#, #"{"token": "•••", "place": "hall"}"#),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", "•••"),
        // These texts contain no secrets.
        ("rtsp://camera:554/live", "rtsp://camera:554/live"), ("file:///home/a@b/c.png", "file:///home/a@b/c.png"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"), ("udp://@239.0.0.1:1234", "udp://@239.0.0.1:1234"),
        ("a@example.org", "a@example.org"), ("user-pw: read-only", "user-pw: read-only"),
        ("video/x-raw, width=(int)64", "video/x-raw, width=(int)64"), ("", ""), ("://", "://"), ("=", "="),
        ("key=", "key="),
        ("x://", "x://"), ("größer: 3", "größer: 3"),
    ]

    @Test("A text is shown without the secrets in it", arguments: texts)
    func masked(_ text: String, _ shown: String) {
        #expect(Secrets.masked(text) == shown)
        #expect(Secrets.masked(shown) == shown)
    }

    private static let structures = [
        #"application/x-rtp, srtp-key=(buffer)00112233, a-crypto=(string)"1\ AES\ inline:hush", media=(string)video"#,
        #"headers, Authorization=(string)"Bearer\ hush", in=(structure)"in\,\ password\=\(string\)\"hu\\\ sh\"\;";"#,
        "list, tokens=(string){ hush, \"hush hush\" }, keys=(string)< hush, hush >, place=(string)hall;",
    ]

    @Test(
        "Texts of caps, structures and lists lose the values of secret fields, nested ones too", arguments: structures)
    func serialized(_ text: String) {
        let shown = Secrets.masked(text)
        #expect(!shown.contains("hush") && !shown.contains("sh\\\"") && !shown.contains("0011"), "\(shown)")
        #expect(shown.contains("•••"))
        if text.hasSuffix("hall;") { #expect(shown.hasSuffix("place=(string)hall;")) }
    }

    @Test("Random texts are masked without a trap, and a second time to the same")
    func random() {
        var random = Random(seed: 29)
        let pieces = [
            "://", "rtmp", "rtsp", "@", ":", "/", "?", "#", "=", "key", "token", "\"", "'", "\\", "(", ")", "{", "}",
            "[", "]", "<",
            ">", " ", "a", "ß", "\n", ",", ";", "Authorization",
        ]
        for _ in 0..<TestScope.choose(4000, all: 20_000) {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                pieces[Int.random(in: pieces.indices, using: &random)]
            }.joined()
            _ = Secrets.found(in: text, isValue: true)
            _ = Secrets.found(in: text, isValue: true, isHarmless: true)
            _ = Secrets.masked(Secrets.masked(text))
        }
    }
}

@Suite("Control: secrets in a pipeline", .serialized)
struct SecretPipelineTests {
    private static let secrets = ["first-secret", "second-secret", "third-secret", "fourth-secret", "0123456789"]

    /// A pipeline with stock elements that have secrets. It is never started.
    private struct Watched {
        let pipeline: Pipeline
        let probe: ControlProbe
        let camera: Handle
        let stream: Handle
        let download: Handle
    }

    private func watched(files: ControlledFiles = .uploads(in: nil)) throws -> Watched {
        _ = Probe.isRegistered
        let pipeline = try Pipeline("videotestsrc name=a ! svprobe name=p ! capsfilter name=c ! fakesink name=out")
        gst_object_set_name(pipeline.handle.gstObject, "line")
        func add(_ factory: String, _ name: String) throws -> Handle {
            let element = try Handle(factory: factory)
            gst_object_set_name(element.gstObject, name)
            gst_element_set_locked_state(element.element, 1)
            gst_bin_add(pipeline.handle.cast(to: GstBin.self), element.element)
            return element
        }
        return Watched(
            pipeline: pipeline, probe: ControlProbe(try pipeline.element("out"), files: files),
            camera: try add("rtspsrc", "camera"), stream: try add("uridecodebin", "stream"),
            download: try add("souphttpsrc", "download"))
    }

    private func leaks(_ text: String) -> [String] { Self.secrets.filter { text.contains($0) } }

    @Test("No property is described, or told of when it changes, with a secret")
    func properties() throws {
        let line = try watched()
        let probe = line.probe
        line.camera.set("user-pw", "first-secret")
        line.stream.set("uri", "rtsp://admin:second-secret@camera/live?token=third-secret")
        line.download.set("extra-headers", "headers,Authorization=(string)\"Bearer fourth-secret\"")
        try line.pipeline.element("c").set("caps", "application/x-srtp,srtp-key=(buffer)0123456789")
        #expect(probe.start())
        let password = try probe.property("user-pw", of: "line/camera")
        #expect(password["value"]?.text == "•••" && password["secret"] == .truth(true))
        let address = try probe.property("uri", of: "line/stream")
        #expect(address["value"]?.text == "rtsp://•••@camera/live?•••" && address["secret"] == nil)
        #expect(try probe.property("extra-headers", of: "line/download")["value"]?.text == "•••")
        let caps = try required(try probe.property("caps", of: "line/c")["value"]?.text, "no caps")
        #expect(caps.contains("srtp-key") && caps.contains("•••"))
        #expect(leaks(probe.control.elements().line) == [])
        line.camera.set("user-pw", "fourth-secret")
        line.stream.set("uri", "srt://host:7001?passphrase=third-secret")
        #expect(probe.waits(for: .text("srt://host:7001?•••"), of: "uri", in: "line/stream"))
        #expect(probe.waits(for: .text("•••"), of: "user-pw", in: "line/camera"))
        line.camera.set("user-pw", "")
        #expect(probe.waits(for: .text(""), of: "user-pw", in: "line/camera"))
        #expect(probe.messages().flatMap { leaks($0.line) } == [])
    }

    @Test("Errors, warnings and element messages come without the secrets of the properties")
    func messages() throws {
        let line = try watched()
        let (probe, camera) = (line.probe, line.camera)
        camera.set("user-pw", "first-secret")
        line.stream.set("uri", "rtsp://admin:second secret@camera/live")
        #expect(probe.start())
        let error = try required(
            g_error_new_literal(
                gst_resource_error_quark(), gint(GST_RESOURCE_ERROR_FAILED.rawValue),
                "no answer from rtsp://admin:second secret@camera/live for \"first-secret\"; http://u:third-secret@x/"),
            "no error")
        gst_element_post_message(camera.element, gst_message_new_error(camera.gstObject, error, nil))
        g_error_free(error)
        let structure = gst_structure_from_string(
            "seen, uri=(string)\"rtmp://x/live/fourth-secret\", api-key=(string)abc, "
                + "tokens=(string){ abc, def }, key=(int)7, place=(string)hall, inner=(structure)[in, password=(string)abc]",
            nil)
        gst_element_post_message(camera.element, gst_message_new_element(camera.gstObject, structure))
        #expect(eventually { probe.messages("message").contains { $0["name"]?.text == "seen" } })
        let fields = try required(probe.messages("message").first { $0["name"]?.text == "seen" }?["fields"], "none")
        #expect(fields["uri"]?.text == "rtmp://x/live/•••" && fields["api-key"]?.text == "•••")
        #expect(fields["tokens"]?.text == "•••" && fields["key"] == .whole(7) && fields["place"]?.text == "hall")
        #expect(fields["inner"]?["password"]?.text == "•••")
        let text = probe.messages("message").first { $0["kind"]?.text == "error" }?["text"]?.text
        #expect(text == "no answer from rtsp://•••@camera/live for \"•••\"; http://•••@x/")
        withExtendedLifetime(line) {}
    }

    @Test("A page that sets a secret does not get it back, and a masked text is not taken for the whole")
    func setting() throws {
        let line = try watched(files: .any)
        let probe = line.probe
        #expect(probe.start())
        #expect(probe.set("user-pw", of: "line/camera", to: .text("first-secret")) == nil)
        #expect(line.camera.get("user-pw") == "first-secret")
        #expect(probe.waits(for: .text("•••"), of: "user-pw", in: "line/camera"))
        for value in [JSONValue.whole(7), .text("•••"), .list([.text("second-secret")])] {
            let reason = probe.set("user-pw", of: "line/camera", to: value)
            #expect(reason?.hasPrefix("user-pw: ") == true && leaks(reason ?? "") == [])
        }
        #expect(line.camera.get("user-pw") == "first-secret")
        #expect(probe.set("uri", of: "line/stream", to: .text("rtsp://u:third-secret@camera/")) == nil)
        #expect(probe.waits(for: .text("rtsp://•••@camera/"), of: "uri", in: "line/stream"))
        let reason = probe.set("uri", of: "line/stream", to: .text("rtsp://•••@other/"))
        #expect(reason == "uri: ••• stands for hidden text. Enter the complete text.")
        #expect(line.stream.get("uri") == "rtsp://u:third-secret@camera/")
        #expect(probe.messages().flatMap { leaks($0.line) } == [])
    }

    @Test("With files=uploads a password cannot be set, and is not told with the refusal")
    func refused() throws {
        let line = try watched()
        line.camera.set("user-pw", "first-secret")
        let reason = line.probe.set("user-pw", of: "line/camera", to: .text("second-secret"))
        #expect(reason?.contains("files=any") == true && leaks(reason ?? "") == [])
    }

    @Test("Names of elements are shown without secrets, and lead to the element")
    func names() throws {
        let line = try watched()
        let probe = line.probe
        for name in ["rtsp://u:first-secret@camera", "rtsp://u:second-secret@camera"] {
            let element = try Handle(factory: "identity")
            gst_object_set_name(element.gstObject, name)
            gst_bin_add(line.pipeline.handle.cast(to: GstBin.self), element.element)
        }
        #expect(probe.start())
        let ids = probe.control.elements().ids.filter { $0.contains("@camera") }
        #expect(ids.count == 2 && Set(ids).count == 2 && leaks("\(ids)") == [])
        for id in ids { #expect(probe.set("dump", of: id, to: .truth(true)) == nil) }
        #expect(leaks(probe.control.elements().line) == [])
    }

    @Test("Texts of ours: an address is shown without its key, a harmless text as it is")
    func ours() throws {
        let line = try watched()
        try line.pipeline.element("p").set("subtitle", "http://127.0.0.1:8080/?key=first-secret")
        #expect(try line.probe.property("subtitle", of: "line/p")["value"]?.text == "http://127.0.0.1:8080/?•••")
        try line.pipeline.element("p").set("title", "key=yellow")
        #expect(try line.probe.property("title", of: "line/p")["value"]?.text == "key=yellow")
    }
}
