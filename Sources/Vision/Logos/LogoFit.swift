// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The refinement of a pose by the edges of the frame (RAPID: C. Harris, C. Stennett, "RAPID - a video rate object
/// tracker", 1990). A pose maps coordinates of the template to pixels of the frame.
struct LogoFit {
    let look: LogoLook
    let reader: LogoView.Reader

    /// An edge point in the frame.
    struct Placed {
        let point: Point
        /// Unit normal of the edge in the frame, on the same side of the edge as `EdgePoint.normal`.
        let normal: Point
    }

    /// Returns the position of an edge point; nil if it is outside of the view.
    func placed(_ edge: LogoLook.EdgePoint, _ pose: Homography) -> Placed? {
        let point = pose(edge.position)
        guard reader.contains(point) else { return nil }
        let map = pose.derivative(at: edge.position)
        let sign: Double = map.determinant < 0 ? -1 : 1
        let normal = Point(
            sign * (map.yy * edge.normal.x - map.yx * edge.normal.y),
            sign * (map.xx * edge.normal.y - map.xy * edge.normal.x))
        let length = normal.length
        guard length > 1e-9 else { return nil }
        return Placed(point: point, normal: normal / length)
    }

    /// Moves a pose so that the edges of the template lie on edges of the frame. Returns nil if the edges do not agree.
    /// - Parameter isTracked: true for a logo that was visible in the previous frame, because its pose is almost right.
    func aligned(_ pose: Homography, isTracked: Bool = false) -> Homography? {
        let rough = LogoTuning.roughReaches.dropFirst(isTracked ? 2 : 0)
        // Most wrong poses fail here, which saves half of the time.
        guard let pose = moved(pose, rough, hasPerspective: false), let evidence = evidence(pose),
            evidence.score >= LogoTuning.minRoughScore
        else { return nil }
        return moved(pose, LogoTuning.fineReaches[...], hasPerspective: true)
    }

    private func moved(_ pose: Homography, _ reaches: ArraySlice<Double>, hasPerspective: Bool) -> Homography? {
        var pose = pose
        for reach in reaches {
            let size = pose.size
            guard pose.isFinite, size >= 1, size < 1e5 else { return nil }
            pose = step(pose, reach: reach * size, size: size, hasPerspective: hasPerspective)
        }
        return pose.isFinite ? pose : nil
    }

    /// An edge of the frame near an edge point of the template.
    private struct Pull {
        /// For each parameter of the pose: movement of the edge point along the normal if the parameter increases by 1.
        var rates: (SIMD8<Double>)
        /// Distance along the normal from the point to the edge, in pixels of the frame.
        let distance: Double
        let weight: Double
    }

    /// Moves the pose so that its edge points lie on the strongest edges within `reach` pixels.
    private func step(_ pose: Homography, reach: Double, size: Double, hasPerspective: Bool) -> Homography {
        // The parameters are relative to the centre of the logo, so that they depend little on each other.
        let center = pose(Point(0, 0))
        let pulls = look.edges.compactMap { edge -> Pull? in
            guard let place = placed(edge, pose), let (distance, weight) = nearestEdge(place, edge.isInner, reach)
            else {
                return nil
            }
            let (n, at, offset) = (place.normal, edge.position, place.point - center)
            let along = -n.dot(offset) / size
            return Pull(
                rates: SIMD8(
                    n.x * at.x, n.x * at.y, n.x, n.y * at.x, n.y * at.y, n.y, along * at.x, along * at.y),
                distance: distance, weight: weight)
        }
        let count = hasPerspective ? 8 : 6
        let hold = LogoTuning.stiffness
        let stiffness = [
            hold.linear, hold.linear, hold.position, hold.linear, hold.linear, hold.position, hold.perspective,
            hold.perspective,
        ]
        var change = SIMD8<Double>.zero
        for turn in 0..<3 {
            var matrix = [Double](repeating: 0, count: count * count)
            var right = [Double](repeating: 0, count: count)
            for pull in pulls {
                var weight = pull.weight
                if turn > 0 {
                    let error = (pull.distance - (pull.rates * change).sum()) / (LogoTuning.robustReach * reach)
                    let doubt = 1 + error * error
                    weight /= doubt * doubt
                }
                for row in 0..<count {
                    let factor = weight * pull.rates[row]
                    right[row] += factor * pull.distance
                    for column in 0...row { matrix[row * count + column] += factor * pull.rates[column] }
                }
            }
            for i in 0..<count { matrix[i * count + i] += stiffness[i] }
            guard let solution = solveSymmetric(matrix, right, count: count) else { return pose }
            change = .zero
            for i in 0..<count { change[i] = solution[i] }
        }
        var moved = pose.shifted(by: Point(-center.x, -center.y))
        moved.affine.xx += change[0]
        moved.affine.xy += change[1]
        moved.affine.x0 += change[2]
        moved.affine.yx += change[3]
        moved.affine.yy += change[4]
        moved.affine.y0 += change[5]
        moved.wx = max(-0.6, min(0.6, moved.wx + change[6] / size))
        moved.wy = max(-0.6, min(0.6, moved.wy + change[7] / size))
        return moved.shifted(by: center)
    }

    /// Returns the distance to the strongest edge on the normal of a point, in pixels of the frame, and its weight.
    /// Near edges are preferred.
    private func nearestEdge(_ place: Placed, _ isInner: Bool, _ reach: Double) -> (distance: Double, weight: Double)? {
        let steps = LogoTuning.steps
        let length = reach / Double(steps)
        var before = reader.gray(place.point + place.normal * (-reach))
        var here = reader.gray(place.point + place.normal * (length - reach))
        // The edge strength at the best step, and at the steps before and after it.
        var (best, peak, left, right): (Int, Float, Float, Float) = (1, -.infinity, 0, 0)
        var last: Float = 0
        for i in 1..<2 * steps {
            let after = reader.gray(place.point + place.normal * (Double(i + 1) * length - reach))
            let change = after - before
            let nearness = 1 - 0.5 * Float(abs(i - steps)) / Float(steps)
            let strength = nearness * (isInner ? change : abs(change))
            if i == best + 1 { right = strength }
            if strength > peak { (best, peak, left, right) = (i, strength, last, 0) }
            (before, here, last) = (here, after, strength)
        }
        let contrast = LogoTuning.edgeContrast
        let weight = min(1, (peak - contrast.low) / (contrast.high - contrast.low))
        guard weight > 0 else { return nil }
        // The vertex of the parabola through the three strengths gives the offset from the best step.
        var shift: Float = 0
        if best > 1, best < 2 * steps - 1 {
            let curvature = left - 2 * peak + right
            if curvature < 0 { shift = 0.5 * (left - right) / curvature }
        }
        return (Double(Float(best - steps) + max(-0.5, min(0.5, shift))) * length, Double(weight))
    }
}
