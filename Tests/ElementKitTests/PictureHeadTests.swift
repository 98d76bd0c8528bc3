// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import TestSupport
import Testing

/// Tests of the checks of an image's first bytes, before a decoder reads it. Some decoders report impossible sizes as
/// programming errors. If a program runs with `G_DEBUG=fatal-criticals`, these errors abort it.
@Suite("Heads of picture files")
struct PictureHeadTests {
    private let folder: TemporaryFolder

    init() throws {
        #expect(GStreamer.isReady)
        folder = try TemporaryFolder()
    }

    private func refusal(_ bytes: [UInt8]) throws -> String {
        let path = try folder.write(bytes + [UInt8](repeating: 120, count: 2000), "huge")
        let error = try #require(throws: ElementError.self) { try Picture.load(path) }
        #expect(error.message.contains(path))
        return error.message
    }

    private static func svg(_ attributes: String, _ content: String = "<rect width='9' height='9'/>") -> String {
        "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" \(attributes)>\(content)</svg>"
    }

    private static let netpbm: [(text: String, words: String)] = [
        ("P6\n100000 100000\n255\n", "100000x100000 pixels are more than"),
        ("P5 40000\n# a comment\n 40000 255\n", "40000x40000 pixels"), ("P4\n99999 99999\n", "99999x99999 pixels"),
        ("P3\n4294967297 4294967297 255\n", "4294967297x4294967297 pixels"),
        ("P6\n99999999999999999999 1\n255\n", "x1 pixels are more than"), ("P6\n1 0\n255\n", "has no size"),
        ("P6\n" + String(repeating: "#x\n", count: 30_000) + "9 9\n255\n", "not a supported image"),
        ("P6\n#" + String(repeating: "x", count: 100_000) + "\n9 9\n255\n", "not a supported image"),
    ]

    @Test("Too many pixels, PBM to PPM", arguments: netpbm.indices)
    func hugeNetpbm(_ index: Int) throws {
        let message = try refusal(Array(Self.netpbm[index].text.utf8))
        #expect(message.contains(Self.netpbm[index].words), "\(message)")
    }

    private static let drawings: [(text: String, words: String)] = [
        (svg("width=\"100000\" height=\"100000\""), "100000x100000 pixels are more than"),
        (svg("height='1e9'  width='1e9'"), "1000000000x1000000000 pixels"),
        (svg("viewBox=\"0 0 100000 100000\""), "100000x100000 pixels"),
        (svg("width=\"100%\" height=\"100%\" viewBox=\"0,0,100000,100000\""), "100000x100000 pixels"),
        (svg("width=\"100\" viewBox=\"0 0 1 100000000\""), "100x10000000000 pixels"),
        (svg("width=\"2000in\" height=\"200cm\""), "180000x7087 pixels"),
        (svg("width=\"1e400\" height=\"1\""), "x1 pixels are more than"),
        ("<!-- <svg width='1' height='1'/> -->" + svg("width=\"1e9\" height=\"1e9\""), "not a supported image"),
        (svg("viewBox=\"0 0 1 1\" width=\"&w;\""), "has no size"), (svg("width=\"9\""), "has no size"),
        (svg("width=\"100%\" height=\"9em\""), "has no size"), (svg("width=\"9\" height=\"0\""), "has no size"),
        (svg("", "<g transform='scale(1e5)'><rect width='70' height='30'/></g>"), "has no size"),
    ]

    @Test("Too many pixels, SVG", arguments: drawings.indices)
    func hugeDrawing(_ index: Int) throws {
        let message = try refusal(Array(Self.drawings[index].text.utf8))
        #expect(message.contains(Self.drawings[index].words), "\(message)")
    }

    @Test("Too many pixels, WebP: canvas, lossless, lossy")
    func hugeWebP() throws {
        let riff = Array("RIFF".utf8) + [0, 16, 0, 0] + Array("WEBP".utf8)
        let canvas = riff + Array("VP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0, 0x10, 0]
        #expect(try refusal(canvas).contains("16777216x4097 pixels are more than"))
        let lossless = riff + Array("VP8L".utf8) + [0, 15, 0, 0, 0x2F, 0xFF, 0xFF, 0xFF, 0x0F]
        #expect(try refusal(lossless).contains("16384x16384 pixels are more than"))
        let lossy = riff + Array("VP8 ".utf8) + [0, 15, 0, 0, 0x30, 1, 0, 0x9D, 1, 0x2A, 0xFF, 0x3F, 0xFF, 0x7F]
        #expect(try refusal(lossy).contains("16383x16383 pixels are more than"))
    }

    // MARK: - Valid pictures

    private static let rightDrawings = [
        svg("width=\"30\" height=\"20\"", "<style>svg{width:1e6px!important;height:1e6px!important}</style>"),
        svg("viewBox=\"-1 5 30 20\" style=\"width:1e9px!important\""), svg("width=\" 30px\" viewBox=\"0 0 3 2\""),
        svg("height='20' viewBox='0,0 3,2'", "<rect width='1e9' height='1e9'/>"),
        svg("width=\"24pt\" height=\"16pt\""),
    ]

    /// The style or the content may mean a different size. The decoder would use that size.
    @Test("An SVG drawing has the size that its attributes say", arguments: rightDrawings)
    func drawingSize(_ text: String) throws {
        guard gst_registry_check_feature_version(gst_registry_get(), "rsvgdec", 1, 0, 0) != 0 else { return }
        let picture = try Picture.load(folder.write(Array(text.utf8), "a.svg"))
        #expect(picture.size == PixelSize(width: 30, height: 20))
    }

    @Test("An SVG drawing is drawn")
    func drawingPixels() throws {
        guard gst_registry_check_feature_version(gst_registry_get(), "rsvgdec", 1, 0, 0) != 0 else { return }
        let quarters = [("#f00", 0, 0), ("#0f0", 16, 0), ("#00f", 0, 8), ("#fff", 16, 8)].map {
            "<rect x='\($1)' y='\($2)' width='16' height='8' fill='\($0)'/>"
        }
        let text = Self.svg("width='64' height='32' viewBox='0 0 32 16'", quarters.joined())
        let drawn = try frame(Picture.load(folder.write(Array(text.utf8), "a.svg")))
        let colors = [(8, 8), (56, 8), (8, 24), (56, 24)].map { drawn.color($0, $1) }
        let expected = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)]
            .map { Color(red: UInt8($0), green: UInt8($1), blue: UInt8($2)) }
        #expect(colors == expected)
    }

    @Test("PPM and PGM files are read", arguments: ["P6\n2 1\n255\n", "P6 # two\n 2\n1 255\n"])
    func netpbmPixels(_ head: String) throws {
        let bytes = Array(head.utf8) + [255, 0, 0, 0, 0, 255]
        let picture = try Picture.load(folder.write(bytes + [UInt8](repeating: 0, count: 40), "a.ppm"))
        #expect(picture.size == PixelSize(width: 2, height: 1))
    }
}
