// SPDX-License-Identifier: LGPL-2.1-or-later

/// A change of the partner's sharpness, so that it matches the sharpness of the face.
struct Focus: Equatable {
    /// Standard deviation of a Gaussian, in pixels of the partner; 0 for no change.
    private(set) var sigma = 0.0
    /// 0 to blur; above 0, the strength of an unsharp mask.
    private(set) var amount = 0.0

    var isNone: Bool { sigma <= 0 }

    /// No change.
    init() {}

    /// - Parameters:
    ///   - partner: the blur of the partner's edges, in pixels of the partner.
    ///   - face: the blur of the face's edges, in pixels of the face.
    ///   - magnification: the size of the partner on the face, relative to its image.
    init(from partner: Double, to face: Double, magnification: Double) {
        // Interpolation blurs by about half a pixel.
        let (own, wanted) = ((partner * partner * magnification * magnification + 0.25).squareRoot(), face)
        guard magnification > 0, own.isFinite, wanted.isFinite else { return }
        if own < 0.85 * wanted {
            // The blurs of two Gaussians add up in quadrature.
            let blur = min(6, (wanted * wanted - own * own).squareRoot()) / magnification
            // A smaller Gaussian would not change the pixels.
            if blur > 0.3 { sigma = min(12, blur) }
        } else if own > 1.25 * wanted {
            sigma = min(4, max(0.5, own / magnification))
            amount = min(1, 0.6 * (own / max(0.3, wanted) - 1))
        }
    }

    /// Returns true if the difference is too small to be visible.
    func isLike(_ other: Focus) -> Bool {
        guard isNone == other.isNone, (amount > 0) == (other.amount > 0) else { return false }
        return (sigma - other.sigma).magnitude <= 0.15 * max(sigma, other.sigma) + 0.05
            && (amount - other.amount).magnitude < 0.15
    }
}
