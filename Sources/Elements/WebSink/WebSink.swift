// SPDX-License-Identifier: LGPL-2.1-or-later
import CPage
import ElementKit
import Web

/// `svwebsink` shows the stream in a browser, on this machine or another machine. The page can also control the
/// pipeline.
///
///     gst-launch-1.0 v4l2src ! videoconvert ! svedges ! svwebsink
final class WebSink: VideoSink {
    typealias Settings = WebSinkSettings

    static let metadata = ElementMetadata(
        name: "svwebsink", longName: "Web Sink", category: .sink,
        description: "Shows the video in a browser, with controls for the pipeline")
    static let takesJPEG = true

    private let host: Host<Settings>

    init(host: Host<Settings>) { self.host = host }

    func start(_ settings: Settings) throws -> WebSession {
        let session = try WebSession(host, settings)
        let (url, port) = try session.start()
        host.set(\.url, to: url)
        host.tell(url)
        var message = Structure(host.name)
        message.set("url", url)
        message.set("port", port)
        host.post(message)
        return session
    }

    func show(_ session: inout WebSession, _ settings: Settings, frame: SharedFrame) {
        session.show(frame)
    }

    func endOfStream(_ session: inout WebSession) { session.endOfStream() }

    func stop(_ session: inout WebSession) {
        session.stop()
        host.set(\.url, to: nil)
    }

    /// The files of the page. The memory of these files stays valid until the process ends.
    static var page: [WebFile] {
        (0..<sv_page_file_count()).compactMap { index in
            guard let file = sv_page_file(index), let name = file.pointee.name else { return nil }
            return WebFile(
                String(cString: name), UnsafeRawBufferPointer(start: file.pointee.bytes, count: file.pointee.count))
        }
    }
}
