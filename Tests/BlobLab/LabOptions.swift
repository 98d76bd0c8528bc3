// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Elements
import Vision

/// The command-line options: two paths, then properties of svblobdetect, and optionally the path of a training set.
struct LabOptions {
    let image: String
    let folder: String
    private(set) var settings = BlobSettings()
    /// The path of a training set, as for svblobclassify. If it is nil, blobs are not classified.
    private(set) var training: String?

    /// Parses the arguments. Returns nil if they are invalid.
    init?(_ words: [String]) {
        guard words.count >= 2, !words[0].contains("="), !words[1].contains("=") else { return nil }
        (image, folder) = (words[0], words[1])
        for word in words.dropFirst(2) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2, parts[0] == "training" {
                training = parts[1]
                continue
            }
            guard parts.count == 2, let set = Self.properties.first(where: { $0.name == parts[0] })?.set,
                set(&settings, parts[1])
            else { return nil }
        }
    }

    static var help: String { "properties: " + properties.map(\.name).joined(separator: ", ") }

    /// Parses the text and sets the property. Returns false if the text is invalid.
    private typealias Setter = (inout BlobSettings, String) -> Bool

    private static var properties: [(name: String, set: Setter)] {
        [
            ("model", choice(\.model)), ("ground", choice(\.ground)), ("shadows", choice(\.shadows)),
            ("std-devs", number { $0.stdDevs = $1 }), ("scale", number { $0.scale = $1 > 0 ? $1 : nil }),
            ("erode-kernel", number { $0.erodeKernel = $1 }),
            ("erode-iterations", number { $0.erodeIterations = Int($1) }),
            ("min-size", number { $0.minSize = $1 }), ("max-size", number { $0.maxSize = $1 }),
            ("max-blobs", number { $0.maxBlobs = Int($1) }),
        ]
    }

    private static func choice<Value: PropertyEnum>(_ path: WritableKeyPath<BlobSettings, Value>) -> Setter {
        { settings, text in
            guard let value = Value.allCases.first(where: { $0.nick == text }) else { return false }
            settings[keyPath: path] = value
            return true
        }
    }

    private static func number(_ set: @escaping (inout BlobSettings, Double) -> Void) -> Setter {
        { settings, text in
            guard let value = Double(text), (0...1_000_000).contains(value) else { return false }
            set(&settings, value)
            return true
        }
    }
}
