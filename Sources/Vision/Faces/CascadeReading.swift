// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// Reasons why a file is not a usable cascade.
enum CascadeFileError: Error {
    case unusable(String)
    /// The file contains a cascade, but this module does not support the type of its features.
    case unsupported(kind: String)
}

extension CascadeFile {
    /// Maximum size of a cascade file, in bytes. The largest file in OpenCV's packages has 2.6 MB.
    static let largestFile = 32 << 20
    private static let limits = ParsingLimits(depth: 16, values: 1_000_000)

    /// Reads and checks the cascade file at `path`.
    init(path: String) throws(CascadeError) {
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, atMost: Self.largestFile)
        } catch {
            throw error.cause == .missing
                ? .missing(name: path, folders: []) : .unusable(path: path, reason: "\(error)")
        }
        do {
            try self.init(bytes)
        } catch {
            switch error {
            case .unusable(let reason): throw .unusable(path: path, reason: reason)
            case .unsupported(let kind): throw .unsuitable(path: path, reason: "features of the type \(kind)")
            }
        }
    }

    /// Reads and checks the contents of a cascade file.
    init(_ bytes: [UInt8]) throws(CascadeFileError) {
        let storage: MarkupElement
        do {
            storage = try MarkupElement(reading: bytes, limits: Self.limits)
        } catch {
            throw .unusable("malformed XML: \(error)")
        }
        guard storage.name == "opencv_storage", let cascade = storage.elements.first,
            cascade["featureType"] != nil || cascade["size"] != nil
        else { throw .unusable("no cascade in the file") }
        self = try cascade["featureType"] == nil ? CascadeFile(old: cascade) : CascadeFile(new: cascade)
        if let problem { throw .unusable(problem) }
    }

    // MARK: - As opencv_traincascade writes it

    private init(new cascade: MarkupElement) throws(CascadeFileError) {
        let name = try cascade.required("featureType").trimmedText ?? ""
        let kinds = Cascade.Features.allCases
        guard let kind = kinds.first(where: { $0.name == name }) else { throw .unsupported(kind: name) }
        guard try cascade.required("stageType").trimmedText == "BOOST" else {
            throw .unusable("stageType is not BOOST")
        }
        let categories = try cascade.required("featureParams").integer("maxCatCount")
        guard categories == (kind == .lbp ? 256 : 0) else { throw .unusable("unsupported maxCatCount \(categories)") }

        var stages: [Stage] = []
        for stage in try cascade.required("stages").elements {
            var trees: [Tree] = []
            for tree in try stage.required("weakClassifiers").elements { trees.append(try Tree(tree, kind)) }
            stages.append(Stage(threshold: try stage.number("stageThreshold"), trees: trees))
        }
        var features: [Feature] = []
        for feature in try cascade.required("features").elements { features.append(try Feature(feature, kind)) }
        self.init(
            kind: kind, width: try cascade.integer("width"), height: try cascade.integer("height"), stages: stages,
            features: features)
    }

    // MARK: - As opencv_haartraining wrote it

    /// Reads the format of `opencv_haartraining`, in which each node contains its feature and may contain leaf values.
    private init(old cascade: MarkupElement) throws(CascadeFileError) {
        let size = try cascade.required("size").values?.compactMap { Int(exactly: $0) } ?? []
        guard size.count == 2 else { throw .unusable("size is not two whole numbers") }
        var stages: [Stage] = []
        var features: [Feature] = []
        for stage in try cascade.required("stages").elements {
            var trees: [Tree] = []
            for element in try stage.required("trees").elements {
                var tree = Tree()
                for node in element.elements {
                    let left = try tree.next(node, "left_val", "left_node")
                    let right = try tree.next(node, "right_val", "right_node")
                    tree.nodes.append(
                        Node(
                            left: left, right: right, feature: features.count, threshold: try node.number("threshold"),
                            patterns: []))
                    features.append(try Feature(try node.required("feature"), .haar))
                }
                trees.append(tree)
            }
            stages.append(Stage(threshold: try stage.number("stage_threshold"), trees: trees))
        }
        self.init(kind: .haar, width: size[0], height: size[1], stages: stages, features: features)
    }
}

extension CascadeFile.Tree {
    fileprivate init(_ element: MarkupElement, _ kind: Cascade.Features) throws(CascadeFileError) {
        guard let values = try element.required("internalNodes").values,
            let leaves = try element.required("leafValues").values
        else { throw .unusable("a tree contains something other than numbers") }
        let size = kind == .lbp ? 3 + 8 : 3 + 1
        guard values.count.isMultiple(of: size) else {
            throw .unusable("a tree has the wrong number of values, \(values.count)")
        }
        self.leaves = leaves
        for start in stride(from: 0, to: values.count, by: size) {
            let indices = values[start..<start + 3].compactMap { Int(exactly: $0) }
            let parameters = values[start + 3..<start + size]
            let patterns = kind == .lbp ? parameters.compactMap { Int32(exactly: $0) } : []
            guard indices.count == 3, kind == .haar || patterns.count == 8 else {
                throw .unusable("a tree contains a number that is too large or not whole")
            }
            nodes.append(
                CascadeFile.Node(
                    left: indices[0], right: indices[1], feature: indices[2],
                    threshold: kind == .haar ? parameters.first ?? 0 : 0, patterns: patterns))
        }
    }

    /// Returns the link to the left or right branch of `node`: the index of another node, or the negative index of a
    /// leaf. If the branch is a leaf, also adds the leaf's value to the tree.
    fileprivate mutating func next(
        _ node: MarkupElement, _ leaf: String, _ other: String
    ) throws(CascadeFileError) -> Int {
        guard node[leaf] != nil else {
            let next = try node.integer(other)
            // The link 0 stands for the first leaf. So a link to a node must be above 0.
            guard next > 0 else { throw .unusable("\(other) must be above 0, not \(next)") }
            return next
        }
        leaves.append(try node.number(leaf))
        return 1 - leaves.count
    }
}

extension CascadeFile.Feature {
    fileprivate init(_ element: MarkupElement, _ kind: Cascade.Features) throws(CascadeFileError) {
        let elements = kind == .lbp ? [try element.required("rect")] : try element.required("rects").elements
        var parts: [CascadeFile.Part] = []
        for part in elements {
            let values = part.values ?? []
            let sides = values.prefix(4).compactMap { Int(exactly: $0) }
            guard values.count == (kind == .lbp ? 4 : 5), sides.count == 4 else {
                throw .unusable("a rectangle is not four whole numbers\(kind == .lbp ? "" : " and a weight")")
            }
            parts.append(
                CascadeFile.Part(
                    x: sides[0], y: sides[1], width: sides[2], height: sides[3],
                    weight: kind == .haar ? values[4] : 0))
        }
        self.parts = parts
        let tilted = try element["tilted"] == nil ? 0 : element.number("tilted")
        isTilted = kind == .haar && tilted != 0
    }
}

extension MarkupElement {
    fileprivate func required(_ name: String) throws(CascadeFileError) -> MarkupElement {
        guard let element = self[name] else { throw .unusable("\(name) is missing") }
        return element
    }

    fileprivate func number(_ name: String) throws(CascadeFileError) -> Double {
        guard let values = try required(name).values, values.count == 1 else {
            throw .unusable("\(name) is not a number")
        }
        return values[0]
    }

    fileprivate func integer(_ name: String) throws(CascadeFileError) -> Int {
        guard let integer = Int(exactly: try number(name)) else { throw .unusable("\(name) is not a whole number") }
        return integer
    }
}
