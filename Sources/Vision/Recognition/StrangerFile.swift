// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc

/// Methods that read strangers from a JSON file, or write strangers to a JSON file.
extension Strangers {
    private static let kind = "swiftvision-strangers"
    private static let version = 1
    /// Maximum size of a file that contains strangers, in bytes.
    private static let largestFile = 64 << 20
    private static let limits = ParsingLimits(depth: 4, values: 8 + maxCount * (6 + maxVectors), text: largestFile)

    /// The contents of the JSON file.
    package var text: String {
        var writer = JSONWriter()
        writer.table { writer in
            writer.name("kind")
            writer.write(Self.kind)
            writer.name("version")
            writer.write(Self.version)
            writer.name("network")
            writer.write(network)
            writer.name("next")
            writer.write(nextNumber)
            writer.name("strangers")
            writer.list { writer in
                for stranger in people {
                    writer.table { writer in
                        writer.name("number")
                        writer.write(stranger.number)
                        writer.name("seen")
                        writer.write(stranger.lastSeen)
                        writer.name("vectors")
                        writer.list { writer in
                            for vector in stranger.vectors { writer.write(base64(vector.bytes)) }
                        }
                    }
                }
            }
        }
        return writer.text + "\n"
    }

    /// Reads and checks the file at `path`.
    package init(path: String) throws(ModelFileError) {
        func failure(_ reason: ModelFileError.Reason, _ problem: String) -> ModelFileError {
            ModelFileError(reason: reason, description: "cannot read \"\(path)\": \(problem)")
        }
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, atMost: Self.largestFile)
        } catch {
            throw failure(error.cause == .missing ? .missing : .unreadable, "\(error)")
        }
        let value: JSONValue
        do {
            value = try JSONValue(reading: bytes, limits: Self.limits)
        } catch {
            throw failure(.malformed, "not a file with strangers of svfacerecognize: \(error)")
        }
        guard value["kind"]?.text == Self.kind else {
            throw failure(.malformed, "not a file with strangers of svfacerecognize")
        }
        guard value["version"]?.integer == Self.version else {
            throw failure(.malformed, "only version \(Self.version) is supported")
        }
        guard let strangers = Strangers(value) else {
            throw failure(.malformed, "the entry of a stranger is malformed")
        }
        self = strangers
    }

    /// Reads a stranger from a JSON value. Returns nil if a member is missing or invalid.
    private init?(_ value: JSONValue) {
        guard let network = value["network"]?.text, let next = value["next"]?.integer, next > 0,
            let list = value["strangers"]?.list, list.count <= Self.maxCount
        else { return nil }
        let people = list.compactMap { Stranger($0, network) }
        guard people.count == list.count, people.allSatisfy({ $0.number < next }),
            Set(people.map(\.number)).count == people.count,
            Set(people.flatMap { $0.vectors.map(\.values.count) }).count <= 1
        else { return nil }
        self.init(network: network, people: people, nextNumber: next)
    }

    /// Writes the strangers to a file that only its owner can read. If a file with this path exists, the new file
    /// replaces the old file atomically. But if the old file is not a file of strangers that svfacerecognize has
    /// written, throws an error and does not change the file.
    package func save(to path: String) throws(ModelFileError) {
        do throws(ModelFileError) {
            _ = try Strangers(path: path)
        } catch {
            if error.reason != .missing {
                throw ModelFileError(
                    reason: .unwritable,
                    description:
                        "cannot write \"\(path)\": the existing file does not contain strangers of svfacerecognize. Set "
                        + "unknowns-location to another path, or remove the file.")
            }
        }
        let bytes = Array(text.utf8)
        do {
            guard bytes.count <= Self.largestFile else { throw FileError(.tooLarge, errno: EFBIG) }
            try replaceFile(path, with: bytes)
        } catch {
            throw ModelFileError(reason: .unwritable, description: "cannot write \"\(path)\": \(error)")
        }
    }
}

extension Strangers.Stranger {
    fileprivate init?(_ value: JSONValue, _ network: String) {
        guard let number = value["number"]?.integer, number > 0, let lastSeen = value["seen"]?.integer,
            let list = value["vectors"]?.list, !list.isEmpty,
            list.count <= Strangers.maxVectors
        else { return nil }
        var vectors: [FaceEmbedding] = []
        for item in list {
            guard let text = item.text, let bytes = bytes(base64: text), bytes.count % 4 == 0,
                let vector = FaceEmbedding(bytes: bytes, dimension: bytes.count / 4, network: network)
            else { return nil }
            vectors.append(vector)
        }
        self.init(number: number, vectors: vectors, lastSeen: lastSeen)
    }
}
