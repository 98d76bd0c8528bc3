// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Glibc
import Imaging

/// A folder with a very long path. Only file names with one character fit. So if a program first writes a temporary
/// file with a longer name, it fails, as on a full disk.
package final class DeepFolder {
    package let path: String
    private let root: TemporaryFolder
    private var folders: [String] = []

    package init() throws {
        root = try TemporaryFolder()
        // The longest possible path has PATH_MAX - 1 bytes.
        let length = Int(PATH_MAX) - 3
        var path = root.path
        while path.utf8.count < length {
            let rest = length - path.utf8.count
            // After this folder, the remaining length must be 0 or sufficient for a slash and a name.
            path += "/" + String(repeating: "d", count: rest == 252 ? 249 : min(250, rest - 1))
            guard mkdir(path, 0o700) == 0 else { throw TestFailure("\(path): cannot be created") }
            folders.append(path)
        }
        self.path = path
    }

    package var names: [String] { namesOfFiles(in: path) }

    deinit {
        for name in names { unlink(path + "/" + name) }
        for folder in folders.reversed() { rmdir(folder) }
    }
}

/// A folder for a test. It is deleted with this object.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        var error: UnsafeMutablePointer<GError>?
        guard let made = g_dir_make_tmp("swiftvision-test-XXXXXX", &error) else {
            g_clear_error(&error)
            throw TestFailure("no temporary folder")
        }
        path = String(cString: made)
        g_free(made)
    }

    deinit { removeTree(Array(path.utf8CString)) }

    package func file(_ name: String) -> String { path + "/" + name }

    /// The names of the files in the folder, sorted.
    package var names: [String] { namesOfFiles(in: path) }

    /// Encodes a frame with an element of GStreamer and writes the file. By default, the file is a PNG.
    @discardableResult
    package func write(_ frame: TestFrame, _ name: String, encoder: String = "pngenc") throws -> String {
        let path = file(name)
        try encode(frame, encoder: encoder, to: path)
        return path
    }

    @discardableResult
    package func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let path = file(name)
        let file = try required(fopen(path, "wb"), "\(path) cannot be written")
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw TestFailure("\(path) is not written") }
        return path
    }
}

/// Deletes a folder with its content. File names may consist of any bytes.
private func removeTree(_ path: [CChar]) {
    guard let folder = opendir(path) else { return }
    while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                Array(UnsafeBufferPointer(start: $0, count: strlen($0)))
            }
        }
        guard name != [CChar(UInt8(ascii: "."))], name != [CChar](repeating: CChar(UInt8(ascii: ".")), count: 2) else {
            continue
        }
        let inside = path.dropLast() + [CChar(UInt8(ascii: "/"))] + name + [0]
        if remove(Array(inside)) != 0 { removeTree(Array(inside)) }
    }
    closedir(folder)
    rmdir(path)
}

/// Returns the names of the files in a folder, sorted. Returns an empty array if the folder cannot be read.
private func namesOfFiles(in path: String) -> [String] {
    guard let folder = g_dir_open(path, 0, nil) else { return [] }
    defer { g_dir_close(folder) }
    var names: [String] = []
    while let name = g_dir_read_name(folder) { names.append(String(cString: name)) }
    return names.sorted()
}

package func encode(_ frame: TestFrame, encoder: String, to path: String) throws {
    let pipeline = try Pipeline(
        "appsrc name=in format=time caps=\(frame.caps()) ! videoconvert ! \(encoder) ! filesink location=\(path)")
    try pipeline.play()
    try pipeline.push(frame, into: "in", at: 0, duration: 40_000_000)
    try pipeline.end("in")
    try pipeline.finish()
}

/// Decodes a PNG file. Uses only stock elements.
package func decodePNG(_ path: String, as format: PixelFormat) throws -> TestFrame {
    let pipeline = try Pipeline(
        "filesrc location=\(path) ! pngdec ! videoconvert ! video/x-raw,format=\(format.name) ! "
            + "appsink name=out sync=false")
    try pipeline.play()
    return try required(pipeline.pull(), "no picture").frame
}

package func contents(of path: String) throws -> [UInt8] {
    let file = try required(fopen(path, "rb"), "\(path) cannot be read")
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part.prefix(count) }
    return bytes
}

// MARK: - Files that no encoder writes

/// Returns a PNG file with this size in its header and with correct checksums, but without pixel data.
package func hollowPNG(width: UInt32, height: UInt32) -> [UInt8] {
    let header = bigEndian(width) + bigEndian(height) + [8, 6, 0, 0, 0]
    // An empty deflate stream: header, an empty stored block, and the Adler-32 checksum.
    let data: [UInt8] = [0x78, 0x01, 0x01, 0x00, 0x00, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x01]
    return pngSignature + chunk("IHDR", header) + chunk("IDAT", data)
        + chunk("IEND", [])
}

/// Returns an uncompressed PNG file with 16 bits per channel and at most 64 KB.
/// - Parameter pixel: returns the channels of the pixel at (x, y): grey, grey and alpha, RGB or RGBA.
package func deepPNG(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> [UInt16]) -> [UInt8] {
    let type: UInt8 = [1: 0, 2: 4, 3: 2][pixel(0, 0).count] ?? 6
    let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [16, type, 0, 0, 0]
    // Each row begins with its filter type: 0 for no filter.
    var rows: [UInt8] = []
    for y in 0..<height {
        rows.append(0)
        for channel in (0..<width).flatMap({ pixel($0, y) }) { rows += [UInt8(channel >> 8), UInt8(channel & 255)] }
    }
    // A deflate stream: header, a stored block with its length and the complement of the length, and the Adler-32
    // checksum.
    let length = UInt16(rows.count)
    let block: [UInt8] = [length, ~length].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in rows {
        low = (low + UInt32(byte)) % 65521
        high = (high + low) % 65521
    }
    let data: [UInt8] = [0x78, 0x01, 0x01] + block + rows + bigEndian(high << 16 | low)
    return pngSignature + chunk("IHDR", header) + chunk("IDAT", data) + chunk("IEND", [])
}

private let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

/// Returns a JPEG file with an EXIF segment directly after the start marker. The segment contains the orientation, 1–8.
package func oriented(_ jpeg: [UInt8], _ orientation: UInt8) -> [UInt8] {
    // "Exif", then a little-endian TIFF header and a directory with one entry. The entry has the tag orientation, the
    // type short, and one value.
    let tiff: [UInt8] =
        [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0] + [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
        + [0, 0, 0, 0]
    let body: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0] + tiff
    let length = body.count + 2
    return jpeg.prefix(2) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + body + jpeg.dropFirst(2)
}

private func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return bigEndian(UInt32(data.count)) + body + bigEndian(crc(body))
}

private func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
}

/// Returns the CRC-32 that PNG uses.
private func crc(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
}
