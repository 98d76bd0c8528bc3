// SPDX-License-Identifier: LGPL-2.1-or-later
/// Contents of a cascade file, as far as OpenCV's `CascadeClassifier` uses it: one of `opencv_traincascade`, with Haar
/// or LBP features, or of the older `opencv_haartraining`.
///
/// OpenCV takes the numbers of a file as they are: a feature or a leaf beyond the last one, a rectangle outside of the
/// window, or a fourth one, make it read and write out of bounds, and a tree that leads back to its root never ends. So
/// files are read and checked here, and OpenCV gets the valid contents, written anew.
struct CascadeFile {
    struct Part {
        /// Rectangle in pixels of the window.
        let x, y, width, height: Int
        /// Weight of a Haar rectangle.
        let weight: Double
    }

    struct Feature {
        /// Rectangles: for Haar, 2 or 3 whose weighted sums are added; for LBP, the first of 3 x 3 of its size.
        let parts: [Part]
        let isTilted: Bool
    }

    struct Node {
        /// Another node of the tree if above 0, else a leaf: 0, −1, −2, …
        let left, right: Int
        let feature: Int
        /// Threshold of a Haar feature.
        let threshold: Double
        /// Bits of an LBP feature, one for each of 256 patterns.
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
    /// Size of the window, in pixels.
    let width, height: Int
    let stages: [Stage]
    let features: [Feature]
}

// MARK: - Checking

extension CascadeFile {
    /// Valid lengths of an edge of the window, in pixels.
    private static let sides = 3...1000

    /// First problem that must not reach OpenCV; nil if there is none.
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

    /// Returns whether everything that is summed up lies in the window.
    private func fits(_ part: Part, isTilted: Bool) -> Bool {
        // First check each number on its own, so that no sum overflows.
        let (columns, rows) = (0...width, 0...height)
        guard columns ~= part.x, columns ~= part.width, rows ~= part.y, rows ~= part.height else { return false }
        // Rotated by 45 degrees about its upper corner, it extends left by its height, and down by both.
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
                // Only forward, so that it ends.
                guard next > 0 ? next > index && next < count : next >= -count else {
                    return "invalid link from node \(index) to \(next)"
                }
            }
        }
        return nil
    }
}

extension Cascade.Features {
    /// Name in files.
    var name: String { "\(self)".uppercased() }
}

extension Double {
    /// True if OpenCV, which has fewer bits, sees a number, too.
    fileprivate var isFloat: Bool { Float(self).isFinite }
}

// MARK: - Writing

extension CascadeFile {
    /// Text of a file for `CascadeClassifier`, with the same numbers.
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
            for (part, numbers) in zip(feature.parts, parts) { text += "<_>\(numbers) \(part.weight)</_>" }
            text += feature.isTilted ? "</rects><tilted>1</tilted></_>\n" : "</rects></_>\n"
        }
        return text + "</features></cascade></opencv_storage>\n"
    }
}
