// SPDX-License-Identifier: LGPL-2.1-or-later
/// The part of a cascade file that OpenCV's `CascadeClassifier` uses. The file may come from `opencv_traincascade`,
/// with Haar or LBP features, or from the older `opencv_haartraining`.
///
/// OpenCV does not check the values of a file. Invalid files make OpenCV read and write out of bounds in three cases:
/// the index of a feature or leaf is invalid, a rectangle exceeds the window, or a feature has four rectangles. If a
/// tree has a cycle, the search never ends. Therefore this module checks the contents of the file, writes them into a
/// new text, and passes this text to OpenCV.
struct CascadeFile {
    struct Part {
        /// A rectangle of a feature, in pixels of the detection window.
        let x, y, width, height: Int
        /// For a Haar feature: the sum of the pixels in the rectangle is multiplied by this factor.
        let weight: Double
    }

    struct Feature {
        /// The rectangles of a feature. A Haar feature has up to 3 rectangles, and its value is the weighted sum of the
        /// pixels in the rectangles. An LBP feature has one rectangle: the top left rectangle of a grid of 3 x 3
        /// rectangles of equal size.
        let parts: [Part]
        let isTilted: Bool
    }

    struct Node {
        /// Links to the two branches of a tree node. A value above 0 is the index of the next node in the tree. Other
        /// values are negative indices of leaves (0, −1, −2, …).
        let left, right: Int
        let feature: Int
        /// For a Haar feature: a value of the feature below this threshold selects the left branch.
        let threshold: Double
        /// For an LBP feature: the patterns (0…255) that select the left branch, as a bit set in eight 32-bit values.
        let patterns: [Int32]
    }

    struct Tree {
        var nodes: [Node] = []
        var leaves: [Double] = []
    }

    struct Stage {
        let threshold: Double
        let trees: [Tree]
    }

    let kind: Cascade.Features
    /// Width and height of the detection window, in pixels.
    let width, height: Int
    let stages: [Stage]
    let features: [Feature]
}

// MARK: - Checking

extension CascadeFile {
    /// Valid widths and heights of the detection window, in pixels.
    private static let sides = 3...1000

    /// The first problem in the cascade file that could crash OpenCV; nil if the contents are valid.
    var problem: String? {
        guard Self.sides ~= width, Self.sides ~= height else { return "unsupported window of \(width)x\(height)" }
        guard !stages.isEmpty else { return "no stages" }
        for (index, feature) in features.enumerated() {
            let count = feature.parts.count
            guard kind == .lbp ? count == 1 : 1...3 ~= count else { return "feature \(index) has \(count) rectangles" }
            guard feature.parts.allSatisfy({ fits($0, isTilted: feature.isTilted) && $0.weight.isFloat }) else {
                return "feature \(index) exceeds the window, or its weight is too large"
            }
        }
        for (number, stage) in stages.enumerated() {
            guard !stage.trees.isEmpty, stage.threshold.isFloat else {
                return "stage \(number) has no trees, or its threshold is too large"
            }
            for (index, tree) in stage.trees.enumerated() {
                if let problem = problem(of: tree) { return "stage \(number), tree \(index): \(problem)" }
            }
        }
        return nil
    }

    /// Returns true if all pixels of a feature's rectangle lie in the detection window. For an LBP feature, checks the
    /// whole grid of 3 x 3 rectangles.
    private func fits(_ part: Part, isTilted: Bool) -> Bool {
        // First check each value separately, so that the sums below cannot overflow.
        let (columns, rows) = (0...width, 0...height)
        guard columns ~= part.x, columns ~= part.width, rows ~= part.y, rows ~= part.height else { return false }
        // The rectangle is rotated by 45 degrees about its upper corner. From this corner, it extends to the left by
        // its height and to the right by its width. The rectangle extends down by the sum of its width and its height.
        guard !isTilted else {
            return part.x >= part.height && columns ~= part.x + part.width && rows ~= part.y + part.width + part.height
        }
        let times = kind == .lbp ? 3 : 1
        return columns ~= part.x + times * part.width && rows ~= part.y + times * part.height
    }

    private func problem(of tree: Tree) -> String? {
        let count = tree.nodes.count
        guard count > 0, tree.leaves.count == count + 1 else {
            return "\(count) nodes do not match \(tree.leaves.count) leaves"
        }
        guard tree.leaves.allSatisfy(\.isFloat) else { return "the value of a leaf is too large" }
        for (index, node) in tree.nodes.enumerated() {
            guard node.threshold.isFloat else { return "the threshold of node \(index) is too large" }
            guard features.indices.contains(node.feature) else {
                return "no feature \(node.feature), only \(features.count) features"
            }
            for next in [node.left, node.right] {
                // Only links to later nodes are valid, so that the evaluation of a tree always ends.
                guard next > 0 ? next > index && next < count : next >= -count else {
                    return "invalid link from node \(index) to \(next)"
                }
            }
        }
        return nil
    }
}

extension Cascade.Features {
    /// The name of the feature type in cascade files.
    var name: String { "\(self)".uppercased() }
}

extension Double {
    /// True if the value is finite after the conversion to `Float`. OpenCV stores the numbers of a cascade as `Float`.
    fileprivate var isFloat: Bool { Float(self).isFinite }
}

// MARK: - Writing

extension CascadeFile {
    /// The checked contents of the cascade file as XML text, for OpenCV's `CascadeClassifier`.
    var text: String {
        var text = """
            <?xml version="1.0"?>
            <opencv_storage><cascade><stageType>BOOST</stageType><featureType>\(kind.name)</featureType>
            <height>\(height)</height><width>\(width)</width>
            <featureParams><maxCatCount>\(kind == .lbp ? 256 : 0)</maxCatCount></featureParams>
            <stages>

            """
        for stage in stages {
            text += "<_><stageThreshold>\(stage.threshold)</stageThreshold><weakClassifiers>\n"
            for tree in stage.trees {
                text += "<_><internalNodes>\n"
                for node in tree.nodes {
                    text += "\(node.left) \(node.right) \(node.feature)"
                    if kind == .haar { text += " \(node.threshold)" }
                    for pattern in node.patterns { text += " \(pattern)" }
                    text += "\n"
                }
                text += "</internalNodes><leafValues>"
                for leaf in tree.leaves { text += " \(leaf)" }
                text += "</leafValues></_>\n"
            }
            text += "</weakClassifiers></_>\n"
        }
        text += "</stages><features>\n"
        for feature in features {
            let parts = feature.parts.map { "\($0.x) \($0.y) \($0.width) \($0.height)" }
            if kind == .lbp {
                for part in parts { text += "<_><rect>\(part)</rect></_>\n" }
                continue
            }
            text += "<_><rects>"
            for (part, rectangle) in zip(feature.parts, parts) { text += "<_>\(rectangle) \(part.weight)</_>" }
            text += feature.isTilted ? "</rects><tilted>1</tilted></_>\n" : "</rects></_>\n"
        }
        return text + "</features></cascade></opencv_storage>\n"
    }
}
