// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

extension FileKind {
    /// The file name extensions of this file type, in lower case, without the dot.
    var extensions: [String] {
        switch self {
        case .image:
            [
                "png", "jpg", "jpeg", "jpe", "jfif", "webp", "gif", "bmp", "tif", "tiff", "svg", "pnm", "pbm", "pgm",
                "ppm",
                "pam", "avif", "heic", "heif", "jp2", "jxl", "tga",
            ]
        case .cascade: ["xml"]
        case .network: ["onnx"]
        }
    }

    /// The JSON members that describe the file type of a property or an argument to a web page.
    var members: [(name: String, value: JSONValue)] {
        [("accepts", .text(rawValue)), ("extensions", .list(extensions.map { .text($0) }))]
    }

    /// Detects the type of a file by its extension. If the extension is unknown, detects the type by the first bytes.
    /// Returns nil if the type remains unknown.
    package init?(ofFileAt path: String) {
        let name = path.lastPathComponent
        let end = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
        if let kind = Self.allCases.first(where: { $0.extensions.contains(end) }) {
            self = kind
        } else if let head = try? readHead(path, count: 12), Self.isImage(head) {
            self = .image
        } else {
            return nil
        }
    }

    /// Returns true if the bytes are the start of an image file in a common format.
    private static func isImage(_ head: [UInt8]) -> Bool {
        func has(_ text: String, at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: text.utf8) }
        return head.starts(with: [0x89, 0x50, 0x4E, 0x47]) || head.starts(with: [0xFF, 0xD8, 0xFF]) || has("GIF8")
            || has("RIFF") && has("WEBP", at: 8) || head.starts(with: [0x49, 0x49, 0x2A, 0])
            || head.starts(with: [0x4D, 0x4D, 0, 0x2A]) || has("ftypavif", at: 4) || has("ftypheic", at: 4)
    }
}
