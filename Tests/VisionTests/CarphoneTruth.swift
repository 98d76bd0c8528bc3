// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The positions of the only face in the carphone clip (120 frames of 176x144 pixels). The benchmark also uses this
/// file.
enum CarphoneTruth {
    /// A detection counts as the face if the distance between the centres is at most this number of pixels.
    static let reach = 20.0

    /// The centres of the face (between eyes and mouth) in every 10th frame, marked by hand.
    private static let marks: [(frame: Int, x: Double, y: Double)] = [
        (0, 89, 68), (10, 84, 67), (20, 89, 66), (30, 81, 70), (40, 76, 73), (50, 78, 71), (60, 78, 64), (70, 78, 63),
        (80, 68, 60), (90, 66, 69), (100, 67, 69), (110, 71, 66), (119, 79, 65),
    ]

    /// Returns the centre of the face in a frame, interpolated between the marked frames.
    static func center(_ frame: Int) -> Point {
        for (a, b) in zip(marks, marks.dropFirst()) where frame >= a.frame && frame <= b.frame {
            let share = Double(frame - a.frame) / Double(b.frame - a.frame)
            return Point(a.x + share * (b.x - a.x), a.y + share * (b.y - a.y))
        }
        return Point(.nan, .nan)
    }
}
