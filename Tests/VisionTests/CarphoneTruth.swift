// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Place of the one face in the carphone clip: 120 frames of 176x144. The benchmark reads this file, too.
enum CarphoneTruth {
    /// Distance in pixels between the centres of a find and of the face up to which the find is that face.
    static let reach = 20.0

    /// Centres of the face (between eyes and mouth), marked by hand in every 10th frame.
    private static let marks: [(frame: Int, x: Double, y: Double)] = [
        (0, 89, 68), (10, 84, 67), (20, 89, 66), (30, 81, 70), (40, 76, 73), (50, 78, 71), (60, 78, 64), (70, 78, 63),
        (80, 68, 60), (90, 66, 69), (100, 67, 69), (110, 71, 66), (119, 79, 65),
    ]

    /// Returns the face's centre in any frame, interpolated.
    static func center(_ frame: Int) -> Point {
        for (a, b) in zip(marks, marks.dropFirst()) where frame >= a.frame && frame <= b.frame {
            let share = Double(frame - a.frame) / Double(b.frame - a.frame)
            return Point(a.x + share * (b.x - a.x), a.y + share * (b.y - a.y))
        }
        return Point(.nan, .nan)
    }
}
