// SPDX-License-Identifier: LGPL-2.1-or-later

/// A measured value, and the limit that the detector compares with the value.
///
///     let check = Check(.proof, 0.41, atLeast: ShadowTuning.proof)
///     check.isMet  // false
///     "\(check)"   // "ShadowTuning.proof 0.41 < 0.6"
package struct Check: Sendable, Hashable {
    /// The constant, function or property of svblobdetect that defines the limit. The raw value is the name in the
    /// source code.
    package enum Limit: String, Sendable, CaseIterable {
        case minSize = "min-size"
        case maxSize = "max-size"
        case maxBlobs = "max-blobs"
        case erodeKernel = "erode-kernel"

        case leastDistance = "SegmentationTuning.leastDistance"
        case slimmest = "SegmentationTuning.slimmest"
        case clearFraction = "SegmentationTuning.clearFraction"
        case patternDistance = "SegmentationTuning.patternDistance"
        case shadowSeen = "SegmentationTuning.shadowSeen"
        case mostDark = "SegmentationTuning.mostDark"

        case highestSaddle = "SeparationTuning.highestSaddle"

        case groundColor = "ShadowTuning.groundColor"
        case extremeDeviations = "ShadowTuning.extremeDeviations"
        case leastDepth = "ShadowTuning.leastDepth"
        case leastInside = "ShadowTuning.leastInside"
        case darkInside = "ShadowTuning.darkInside"
        case sameLight = "ShadowTuning.sameLight"
        case mostAlike = "ShadowTuning.mostAlike"
        case clearlyLess = "ShadowTuning.clearlyLess"
        case proof = "ShadowTuning.proof"
        case proofOfGrey = "ShadowTuning.proofOfGrey"
        case enough = "ShadowTuning.enough"
        case detachedProof = "ShadowTuning.detachedProof"
        case detachedEnough = "ShadowTuning.detachedEnough"
        case lightInShadow = "ShadowTuning.lightInShadow"
        case mostArea = "ShadowTuning.mostArea"
        case mostMissing = "ShadowTuning.mostMissing"
        case shadowDivisor = "ShadowTuning.shadowDivisor"
        case leastShadow = "ShadowTuning.leastShadow"
        case leastVisible = "ShadowTuning.leastVisible"
        case componentsPerProof = "ShadowTuning.componentsPerProof"
        case isLikelierShadow = "ShadowLevel.isLikelierShadow"
    }

    private enum Comparison { case atLeast, above, atMost }

    package let rule: Limit
    package let value: Double
    package let limit: Double
    private let comparison: Comparison

    init(_ rule: Limit, _ value: Double, atLeast limit: Double) {
        (self.rule, self.value, self.limit, comparison) = (rule, value, limit, .atLeast)
    }

    init(_ rule: Limit, _ value: Double, above limit: Double) {
        (self.rule, self.value, self.limit, comparison) = (rule, value, limit, .above)
    }

    init(_ rule: Limit, _ value: Double, atMost limit: Double) {
        (self.rule, self.value, self.limit, comparison) = (rule, value, limit, .atMost)
    }

    package var isMet: Bool {
        switch comparison {
        case .atLeast: value >= limit
        case .above: value > limit
        case .atMost: value <= limit
        }
    }
}

extension Check: CustomStringConvertible {
    package var description: String {
        let sign =
            switch comparison {
            case .atLeast: isMet ? "≥" : "<"
            case .above, .atMost: value > limit ? ">" : "≤"
            }
        return "\(rule.rawValue) \(value.short) \(sign) \(limit.short)"
    }
}

extension Double {
    /// The number, rounded to three decimals, such as `0.41` or `12`.
    fileprivate var short: String {
        let rounded = (self * 1000).rounded() / 1000
        return Int(exactly: rounded).map(String.init) ?? String(rounded)
    }
}
