// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// A gallery and the algorithm that was chosen for it, as a file: YAML with a fixed order, so that it can be read, and
/// names can be changed, with any editor.
package struct ModelFile: Sendable, Hashable {
    /// All faces are images, or embeddings of one network.
    package let kind: KnownFace.Kind
    package var gallery: Gallery
    package let algorithm: Recognizer.Algorithm

    /// Takes the faces of the gallery that the algorithm compares.
    /// - Parameter network: SHA-256 of the network's file, for `embedding`.
    package init(gallery: Gallery, algorithm: Recognizer.Algorithm, network: String = "") {
        kind = algorithm == .embedding ? .embedding(network: network) : .sample
        (self.gallery, self.algorithm) = (gallery.only(kind), algorithm)
    }

    /// Maximum size in bytes of what is read and written: about 10,000 faces as images.
    package static let largestFile = 64 << 20
    private static let kind = "swiftvision-faces"
    /// Version 2 has rejected faces. Files without these stay readable for programs that know only version 1.
    private static let versions = 1...2
    /// Last line: without it the file is incomplete.
    private static let end = "..."

    /// Returns whether a text can be a name: 1 to 200 characters, none of them a line break or other control character.
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
    /// Description with the path.
    package let description: String
}

// MARK: - Writing

extension ModelFile {
    /// Text of the file.
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

    /// Replaces the file at a path, or creates it, in one step: a reader finds either the old or the new content, even
    /// after a crash.
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
    /// Text without its quotes, if it has any; nil if quotes do not match.
    fileprivate var unquoted: String? {
        hasPrefix("\"") ? String(json: self) : self
    }
}

// MARK: - Reading

extension ModelFile {
    /// Reads the file at a path.
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

    /// Reads a file line by line.
    private struct Reader {
        private var rest: ArraySlice<UInt8>
        private var number = 0
        /// Number of faces.
        private var count = 0
        /// Current line without surrounding blanks; nil at the end. Comments and empty lines are skipped.
        private var line: String?

        init(_ bytes: [UInt8]) {
            rest = bytes[...]
            advance()
        }

        private mutating func advance() {
            while !rest.isEmpty {
                let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
                let text = String(decoding: rest[..<end], as: UTF8.self).trimmed
                rest = rest[end...].dropFirst()
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

        /// Returns the value after a key, and goes on to the next line. Nil if the line has another key.
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

        /// The form of all faces of a file.
        private struct Form {
            let kind: KnownFace.Kind
            let description: String
            let most: Int
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
                most: Gallery.mostFaces
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
                most: Gallery.mostEmbeddings
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
            guard count <= form.most else { throw malformed("more than the maximum of \(form.most) faces") }
            guard value("rejected:") == "" else { return }
            for face in try faces(form) { gallery.reject(face, as: name) }
        }

        /// Reads one or more faces.
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
