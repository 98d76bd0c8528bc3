// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// A file that contains a gallery and the name of its recognition algorithm. The format is YAML with a fixed order of
/// lines. People can read the file and change names in any text editor.
package struct ModelFile: Sendable, Hashable {
    /// Form of all faces in the file: images, or embeddings of a single network.
    package let kind: KnownFace.Kind
    package var gallery: Gallery
    package let algorithm: Recognizer.Algorithm

    /// Creates a file with those faces of the gallery that the algorithm can compare.
    /// - Parameter network: the SHA-256 of the network's file. Required for the algorithm `embedding`.
    package init(gallery: Gallery, algorithm: Recognizer.Algorithm, network: String = "") {
        kind = algorithm == .embedding ? .embedding(network: network) : .sample
        (self.gallery, self.algorithm) = (gallery.only(kind), algorithm)
    }

    /// Maximum size of a model file, in bytes. A file of this size contains about 10,000 face images.
    package static let largestFile = 64 << 20
    private static let kind = "swiftvision-faces"
    /// Supported versions of the file format. Version 2 can also contain rejected faces. A file without rejected faces
    /// has version 1, so that older programs can read the file.
    private static let versions = 1...2
    /// The last line of a complete file. A file without this line is truncated.
    private static let end = "..."

    /// Returns true if `text` is a valid name of a person: 1 to 200 characters without line breaks and other control
    /// characters.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.count <= 200
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{2028}" }
    }
}

/// An error in a model file.
package struct ModelFileError: Error, CustomStringConvertible {
    package enum Reason: Sendable {
        case missing, unreadable, malformed, unwritable
    }

    package let reason: Reason
    /// A message that includes the path.
    package let description: String
}

// MARK: - Writing

extension ModelFile {
    /// The contents of the model file.
    package var text: String {
        var lines = [
            "# People learned by svfacerecognize, with \(contents). To remove a person, delete the line with",
            "# the name, and the faces below this line. To remove all people, delete the file.",
            "kind: \(Self.kind)",
            "version: \(gallery.people.allSatisfy(\.rejected.isEmpty) ? 1 : 2)",
            "algorithm: \(algorithm)",
        ]
        switch kind {
        case .sample: lines.append("side: \(FaceSample.side)")
        case .embedding(let network):
            let dimension = gallery.people.first?.faces.first?.embedding?.values.count ?? 0
            lines += ["dimension: \(dimension)", "network: \(network.json)"]
        }
        lines.append("people:")
        for person in gallery.people {
            lines.append("  - name: \(person.name.json)")
            lines.append("    faces:")
            lines += person.faces.map { "      - \(base64($0.bytes))" }
            guard !person.rejected.isEmpty else { continue }
            lines.append("    rejected:")
            lines += person.rejected.map { "      - \(base64($0.bytes))" }
        }
        return (lines + [Self.end, ""]).joined(separator: "\n")
    }

    private var contents: String {
        kind == .sample ? "small images of their faces" : "vectors that describe their faces"
    }

    /// Writes the file. If a file with this path exists, the new file replaces the old file atomically. So even after a
    /// crash, the path contains either the complete old or the complete new contents.
    package func save(to path: String) throws(ModelFileError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.largestFile else {
            throw ModelFileError(
                reason: .unwritable,
                description: "cannot write \"\(path)\": \(gallery.faceCount) faces are too many for a model file")
        }
        do {
            try replaceFile(path, with: bytes)
        } catch {
            throw ModelFileError(reason: .unwritable, description: "cannot write \"\(path)\": \(error)")
        }
    }
}

extension KnownFace {
    fileprivate var bytes: [UInt8] {
        switch self {
        case .sample(let sample): sample.pixels
        case .embedding(let embedding): embedding.bytes
        }
    }
}

extension String {
    /// If the text begins with a quote, decodes the text as a JSON string; nil if the JSON is malformed. Otherwise
    /// returns the text unchanged.
    fileprivate var unquoted: String? {
        hasPrefix("\"") ? String(json: self) : self
    }
}

// MARK: - Reading

extension ModelFile {
    /// Reads and checks the file at `path`.
    package init(path: String) throws(ModelFileError) {
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, atMost: Self.largestFile)
        } catch {
            throw error.cause == .missing
                ? ModelFileError(reason: .missing, description: "cannot read \"\(path)\": \(error)")
                : ModelFileError(reason: .unreadable, description: "cannot read \"\(path)\": \(error)")
        }
        do {
            var reader = Reader(bytes)
            self = try reader.file()
        } catch {
            throw ModelFileError(reason: .malformed, description: "cannot read \"\(path)\": \(error)")
        }
    }

    fileprivate init(kind: KnownFace.Kind, gallery: Gallery, algorithm: Recognizer.Algorithm) {
        (self.kind, self.gallery, self.algorithm) = (kind, gallery, algorithm)
    }

    private struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads a model file line by line.
    private struct Reader {
        private var remaining: ArraySlice<UInt8>
        private var number = 0
        private var count = 0
        /// The current line of the file, without leading and trailing white space. Nil at the end of the file. The
        /// reader skips comments and empty lines.
        private var line: String?

        init(_ bytes: [UInt8]) {
            remaining = bytes[...]
            advance()
        }

        private mutating func advance() {
            while !remaining.isEmpty {
                let end = remaining.firstIndex(of: UInt8(ascii: "\n")) ?? remaining.endIndex
                let text = String(decoding: remaining[..<end], as: UTF8.self).trimmed
                remaining = remaining[end...].dropFirst()
                number += 1
                if !text.isEmpty, !text.hasPrefix("#") {
                    line = text
                    return
                }
            }
            line = nil
        }

        private func malformed(_ what: String) -> Malformed {
            Malformed(description: line == nil ? "unexpected end of file: \(what)" : "line \(number): \(what)")
        }

        /// If the current line begins with `key`, returns the value after the key, and advances to the next line.
        /// Otherwise returns nil and stays at the current line.
        private mutating func value(_ key: String) -> String? {
            guard let line, line.hasPrefix(key) else { return nil }
            let value = String(line.dropFirst(key.count)).trimmed
            advance()
            return value
        }

        mutating func file() throws(Malformed) -> ModelFile {
            let other = malformed("not a model of svfacerecognize: expected \"kind: \(ModelFile.kind)\"")
            guard value("kind:")?.unquoted == ModelFile.kind else { throw other }
            let version = try number("version", wanted: ModelFile.versions.lowerBound)
            guard ModelFile.versions.contains(version) else {
                throw Malformed(
                    description:
                        "the model has version \(version), but only the versions \(ModelFile.versions.lowerBound) to "
                        + "\(ModelFile.versions.upperBound) are supported")
            }
            let algorithms = Recognizer.Algorithm.allCases
            let names = algorithms.map { "\($0)" }.joined(separator: ", ")
            let noAlgorithm = malformed("expected \"algorithm:\" with one of \(names)")
            guard let name = value("algorithm:")?.unquoted, let algorithm = algorithms.first(where: { "\($0)" == name })
            else { throw noAlgorithm }
            let form = try algorithm == .embedding ? embeddings() : samples()
            guard value("people:") == "" else { throw malformed("expected \"people:\"") }
            var gallery = Gallery()
            while let name = value("- name:") { try person(name, form, into: &gallery) }
            guard line == ModelFile.end else {
                throw malformed("expected \"- name:\" or the last line, \"\(ModelFile.end)\"")
            }
            advance()
            guard line == nil else { throw malformed("unexpected text after the last line") }
            return ModelFile(kind: form.kind, gallery: gallery, algorithm: algorithm)
        }

        /// The format in which a model file stores faces.
        private struct Form {
            let kind: KnownFace.Kind
            let description: String
            let maxCount: Int
            let face: ([UInt8]) -> KnownFace?
        }

        private mutating func samples() throws(Malformed) -> Form {
            let side = try number("side", wanted: FaceSample.side)
            guard side == FaceSample.side else {
                throw Malformed(
                    description: "faces of \(side)x\(side) pixels are not supported, only "
                        + "\(FaceSample.side)x\(FaceSample.side)")
            }
            return Form(
                kind: .sample, description: "a face of \(FaceSample.pixelCount) bytes in Base64",
                maxCount: Gallery.maxFaces
            ) { FaceSample(pixels: $0).map { .sample($0) } }
        }

        private mutating func embeddings() throws(Malformed) -> Form {
            let dimension = try number("dimension", wanted: 128)
            guard dimension == 0 || FaceEmbedding.dimensions.contains(dimension) else {
                throw Malformed(description: "vectors of \(dimension) values are not supported")
            }
            let noNetwork = malformed("expected \"network:\" with a SHA-256")
            guard let network = value("network:")?.unquoted, network.isSHA256 else { throw noNetwork }
            return Form(
                kind: .embedding(network: network),
                description: "a vector of \(dimension) values and length 1 in Base64",
                maxCount: Gallery.maxEmbeddings
            ) { FaceEmbedding(bytes: $0, dimension: dimension, network: network).map { .embedding($0) } }
        }

        private mutating func number(_ key: String, wanted: Int) throws(Malformed) -> Int {
            let error = malformed("expected \"\(key): \(wanted)\"")
            guard let number = value("\(key):").flatMap({ Int($0) }) else { throw error }
            return number
        }

        private mutating func person(_ quoted: String, _ form: Form, into gallery: inout Gallery) throws(Malformed) {
            guard let name = quoted.unquoted, ModelFile.isName(name) else {
                throw malformed("the name before this line is not valid")
            }
            guard gallery.faces(of: name).isEmpty else {
                throw malformed("the name before this line, \(name), is not unique")
            }
            guard value("faces:") == "" else { throw malformed("expected \"faces:\"") }
            for face in try faces(form) {
                gallery.add(face, of: name)
                count += 1
            }
            guard count <= form.maxCount else { throw malformed("more than the maximum of \(form.maxCount) faces") }
            guard value("rejected:") == "" else { return }
            for face in try faces(form) { gallery.reject(face, as: name) }
        }

        /// Reads one or more lines. Each line contains one face.
        private mutating func faces(_ form: Form) throws(Malformed) -> [KnownFace] {
            var faces: [KnownFace] = []
            repeat {
                let error = malformed("expected \"- \" and \(form.description)")
                guard line?.hasPrefix("- name:") == false, let text = value("- "),
                    let face = bytes(base64: text).flatMap(form.face)
                else { throw error }
                faces.append(face)
            } while line?.hasPrefix("- ") == true && line?.hasPrefix("- name:") == false
            return faces
        }
    }
}

extension String {
    fileprivate var isSHA256: Bool {
        utf8.count == 64 && allSatisfy { $0.isHexDigit && !$0.isUppercase }
    }

    fileprivate var trimmed: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
