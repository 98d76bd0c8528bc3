// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing
import Vision

/// Tests of searching and loading cascade files, and of the errors for invalid files.
@Suite("Faces: cascade files")
struct FacesCascadeTests {
    /// Writes `text` to a new file, calls `body` with its path, and removes the file.
    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).xml")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(file.path)
    }

    private func reasonItIsUnusable(_ path: String) -> String? {
        do {
            _ = try Cascade(path: path, purpose: .face)
            return nil
        } catch .unusable(_, let reason) {
            return reason
        } catch {
            return nil
        }
    }

    @Test("by bare name, with and without .xml, by path, and from a folder that is named")
    func lookup() throws {
        let library = CascadeLibrary()
        let path = try library.path(of: "haarcascade_frontalface_alt")
        #expect(path.hasSuffix("/haarcascades/haarcascade_frontalface_alt.xml"))
        #expect(try library.path(of: "haarcascade_frontalface_alt.xml") == path)
        #expect(try library.path(of: path) == path)
        #expect(try library.path(of: String(path.dropLast(4))) == path)
        #expect(try library.path(of: "lbpcascade_frontalface").contains("/lbpcascades/"))
        try withFile("x") { file in
            let url = URL(fileURLWithPath: file)
            let own = CascadeLibrary(directory: url.deletingLastPathComponent().path)
            let bare = try own.path(of: url.deletingPathExtension().lastPathComponent)
            #expect(bare == file)
            let usual = try own.path(of: "haarcascade_frontalface_alt")
            #expect(usual == path)
        }
    }

    @Test("a missing one: the message names the file, the folders and the package")
    func missing() {
        let library = CascadeLibrary(directory: "/nowhere/cascades")
        let error = #expect(throws: CascadeError.self) { try library.path(of: "haarcascade_nobody") }
        let text = error?.description ?? ""
        for part in ["haarcascade_nobody", "/nowhere/cascades", "/usr/share/opencv4/haarcascades", "opencv-data"] {
            #expect(text.contains(part))
        }
        #expect(throws: CascadeError.missing(name: "/nowhere/a.xml", folders: [])) {
            try library.path(of: "/nowhere/a.xml")
        }
        #expect(throws: CascadeError.missing(name: "/nowhere/a.xml", folders: [])) {
            _ = try Cascade(path: "/nowhere/a.xml", purpose: .face)
        }
        #expect(throws: CascadeError.self) { try library.path(of: "") }
        #expect(throws: CascadeError.self) { try library.path(of: "a\0b") }
        #expect(throws: CascadeError.self) { try library.path(of: "/") }
        var settings = FaceSettings.classic
        settings.cascades.leftEye = "haarcascade_nobody"
        #expect(throws: CascadeError.self) { try FaceDetector(settings: settings, library: library) }
        settings.species = [.cat]
        #expect(throws: Never.self) { try FaceDetector(settings: settings, library: library) }
    }

    @Test(
        "files that are no cascade",
        arguments: [
            "", "no XML at all", "<?xml version=\"1.0\"?><opencv_storage></opencv_storage>",
            "<?xml version=\"1.0\"?><opencv_storage><x>1</x></opencv_storage>",
            "<?xml version=\"1.0\"?><opencv_storage><cascade><featureType>HAAR</featureType></cascade></opencv_storage>",
        ])
    func noCascade(text: String) throws {
        try withFile(text) { path in
            let reason = try #require(reasonItIsUnusable(path))
            #expect(!reason.isEmpty)
        }
    }

    @Test("a truncated cascade, and a folder")
    func truncated() throws {
        let whole = try String(contentsOfFile: cascadePath("haarcascade_frontalface_alt"), encoding: .utf8)
        try withFile(String(whole.prefix(whole.count / 2))) { path in #expect(reasonItIsUnusable(path) != nil) }
        #expect(reasonItIsUnusable("/usr/share") != nil)
    }

    @Test("cascades of another kind")
    func otherKind() throws {
        let body = try cascadePath("haarcascade_fullbody")
        let smile = try cascadePath("haarcascade_smile")
        let face = try cascadePath("haarcascade_frontalface_alt")
        for (path, purpose) in [(body, Cascade.Purpose.face), (smile, .eye), (face, .smile)] {
            do {
                _ = try Cascade(path: path, purpose: purpose)
                Issue.record("\(path) was taken for \(purpose)")
            } catch {
                guard case .unsuitable(path, _) = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        let hog = "<cascade><stageType>BOOST</stageType><featureType>HOG</featureType></cascade>"
        try withFile("<?xml version=\"1.0\"?><opencv_storage>\(hog)</opencv_storage>") { path in
            let error = #expect(throws: CascadeError.self) { try Cascade(path: path, purpose: .face) }
            #expect(error?.description.contains("HOG") == true)
        }
    }

    @Test("kinds of features and windows are known")
    func description() throws {
        let haar = try Cascade(path: cascadePath("haarcascade_frontalcatface_extended"), purpose: .face)
        #expect(haar.features == .haar && haar.window == (24, 24))
        let lbp = try Cascade(path: cascadePath("lbpcascade_frontalface_improved"), purpose: .face)
        #expect(lbp.features == .lbp)
    }

    /// The process keeps the contents of the files that it has read.
    @Test("a file that has changed is read again, and a deleted file is missing")
    func changed() throws {
        try withFile("") { path in
            for (name, features) in [
                ("haarcascade_frontalface_alt", Cascade.Features.haar), ("lbpcascade_frontalface_improved", .lbp),
            ] {
                try Data(contentsOf: URL(fileURLWithPath: cascadePath(name))).write(to: URL(fileURLWithPath: path))
                for _ in 0..<2 { #expect(try Cascade(path: path, purpose: .face).features == features) }
            }
            try Data("<a/>".utf8).write(to: URL(fileURLWithPath: path))
            #expect(reasonItIsUnusable(path) != nil)
            try FileManager.default.removeItem(atPath: path)
            #expect(throws: CascadeError.missing(name: path, folders: [])) {
                try Cascade(path: path, purpose: .face)
            }
        }
    }
}
