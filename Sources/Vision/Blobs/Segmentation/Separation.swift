// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV

extension Matrix<UInt8> {
    /// Returns the masks of things that touch each other, separated at their necks. The mask has a margin of at least a pixel.
    func separated() throws(VisionError) -> [Matrix] {
        var count: Int32 = 0
        let labels = try Matrix<Int32>(width: width, height: height) {
            sv_cv_separate(openCV, $0, &count, $1)
        }
        let parts = MaskParts(labels: labels, count: Int(count))
        return parts.all.map { part in parts.mask { $0.label == part.label } }
    }
}
