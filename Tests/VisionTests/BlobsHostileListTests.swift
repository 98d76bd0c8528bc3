// SPDX-License-Identifier: LGPL-2.1-or-later
import Testing
import Vision

/// Tests of small files that could use as much stack, memory or time as large files.
@Suite("Blobs: hostile training lists")
struct BlobsHostileListTests {
    private func reason(_ bytes: [UInt8]) -> String {
        let error = #expect(throws: TrainingError.self) { try TrainingList(bytes, folder: "f") }
        return error?.reason ?? ""
    }

    private func reason(_ text: String) -> String { reason(Array(text.utf8)) }

    // MARK: - Nesting

    @Test("nested 10,000 deep: XML, JSON, and the old form of property lists", arguments: ["closed", "open"])
    func deep(_ end: String) {
        let isClosed = end == "closed"
        func nested(_ open: String, _ close: String) -> String {
            String(repeating: open, count: 10_000) + (isClosed ? String(repeating: close, count: 10_000) : "")
        }
        let head = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>blobs</key>"
        #expect(reason(head + nested("<array>", "</array>") + (isClosed ? "</dict></plist>" : "")).contains("deep"))
        #expect(reason(#"{"blobs": "# + nested("[", "]") + (isClosed ? "}" : "")).contains("deep"))
        #expect(reason(#"{"blobs": "# + nested(#"{"a":"#, "}") + (isClosed ? "}" : "")).contains("deep"))
        #expect(reason(nested("(", ")")).contains("property list"))
    }

    @Test("comments, other encodings and empty elements do not hide it")
    func hidden() {
        let arrays = String(repeating: "<array><!--</array>--><a/>", count: 5000)
        #expect(reason("<plist>" + arrays).contains("deep"))
        let wide = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist>" + String(repeating: "<array>", count: 5000)
        #expect(!reason([0xFF, 0xFE] + wide.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }).isEmpty)
        #expect(!reason([0xFE, 0xFF] + wide.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }).isEmpty)
    }

    @Test("binary: nested 10,000 deep, or within itself")
    func deepBinary() {
        var deep = BinaryList()
        for index in 0..<10_000 { deep.add([0xA1], [index + 1]) }
        deep.add([0x50])
        #expect(reason(deep.bytes(root: 0)).contains("deep"))
        var circle = BinaryList()
        circle.add([0xA1], [0])
        #expect(reason(circle.bytes(root: 0)).contains("deep"))
    }

    // MARK: - Sharing

    @Test("binary: few objects that refer to each other so often that they are many")
    func shared() {
        // Ten lists, each with ten references to the next list, are a list of 10¹⁰ values.
        var list = BinaryList()
        for index in 0..<10 { list.add([0xAA], [Int](repeating: index + 1, count: 10)) }
        list.add([0x51, 0x78])
        #expect(reason(list.bytes(root: 0)).contains("values"))
        var text = BinaryList()
        let count = 4096
        text.add([0xAF, 0x11, UInt8(count >> 8), UInt8(count & 255)], [Int](repeating: 1, count: count))
        text.add([0x5F, 0x12, 0, 1, 0, 0] + [UInt8](repeating: 0x78, count: 65536))
        #expect(reason(text.bytes(root: 0)).contains("text"))
    }

    @Test("binary: three million references to one text are refused before they are followed")
    func wide() {
        var list = BinaryList()
        let count = 3_000_000
        list.add(
            [0xAF, 0x12] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) },
            [Int](repeating: 1, count: count))
        list.add([0x51, 0x78])
        #expect(reason(list.bytes(root: 0)).contains("values"))
    }

    @Test("more pictures or labels than anybody has")
    func many() {
        let entry = #"{"imageFilename": "a", "label": 0}"#
        func list(_ labels: Int, _ blobs: Int) -> String {
            let labels = [String](repeating: "\"x\"", count: labels).joined(separator: ",")
            let blobs = [String](repeating: entry, count: blobs).joined(separator: ",")
            return #"{"labelDescriptions": [\#(labels)], "blobs": [\#(blobs)]}"#
        }
        #expect(throws: Never.self) { try TrainingList(Array(list(10_000, 10_000).utf8), folder: "") }
        #expect(reason(list(1, 10_001)).contains("10000"))
        #expect(reason(list(10_001, 1)).contains("10000"))
        let files = (0...10_000).map { "\($0).png" }
        #expect(throws: Never.self) { try TrainingList(folder: "f", files: [("a", Array(files.dropLast()))]) }
        #expect(throws: TrainingError.self) { try TrainingList(folder: "f", files: [("a", files)]) }
    }

    // MARK: - Wrong numbers

    @Test("binary: numbers that lead outside of the file, and a file that is cut off anywhere")
    func outside() {
        var list = BinaryList()
        list.add([0xD2], [1, 2, 3, 4])
        for name in ["labelDescriptions", "blobs"] { list.add(text: name) }
        list.add([0xA1], [5])
        list.add([0xA1], [6])
        list.add(text: "x")
        list.add([0xD2], [7, 8, 5, 9])
        for name in ["imageFilename", "label"] { list.add(text: name) }
        list.add([0x10, 0])
        let whole = list.bytes(root: 0)
        #expect(throws: Never.self) { try TrainingList(whole, folder: "") }
        for count in whole.indices { #expect(!reason(Array(whole[..<count])).isEmpty) }
        // Each byte of a count or an offset is set to its maximum.
        for place in whole.indices where place < 8 || place >= whole.count - 32 {
            var wrong = whole
            wrong[place] = 255
            _ = try? TrainingList(wrong, folder: "")
        }
        for root in [100, Int.max] { #expect(!reason(list.bytes(root: root)).isEmpty) }
    }
}

/// A binary property list, which is written object by object. References have four bytes.
struct BinaryList {
    private var bytes = Array("bplist00".utf8)
    private var places: [Int] = []

    private static func big(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    mutating func add(_ head: [UInt8], _ references: [Int] = []) {
        places.append(bytes.count)
        bytes += head
        for reference in references { bytes += Self.big(reference, 4) }
    }

    mutating func add(text: String) {
        add([0x5F, 0x10, UInt8(text.utf8.count)] + Array(text.utf8))
    }

    func bytes(root: Int) -> [UInt8] {
        bytes + places.flatMap { Self.big($0, 4) } + [0, 0, 0, 0, 0, 0, 4, 4] + Self.big(places.count, 8)
            + Self.big(root, 8) + Self.big(bytes.count, 8)
    }
}
