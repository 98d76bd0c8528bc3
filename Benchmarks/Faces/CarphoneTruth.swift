import Pixels

/// Where the one face is in the carphone clip: 120 frames of 176x144. The benchmark reads this file, too.
enum CarphoneTruth {
    /// A find is that face if its centre lies within so many pixels of the face's.
    static let reach = 20.0

    /// The face's centre (between eyes and mouth), marked by hand in every 10th frame.
    private static let marks: [(frame: Int, x: Double, y: Double)] = [
        (0, 89, 68), (10, 84, 67), (20, 89, 66), (30, 81, 70), (40, 76, 73), (50, 78, 71), (60, 78, 64), (70, 78, 63),
        (80, 68, 60), (90, 66, 69), (100, 67, 69), (110, 71, 66), (119, 79, 65),
    ]

    /// The face's centre in any frame, interpolated.
    static func center(_ frame: Int) -> Point {
        for (a, b) in zip(marks, marks.dropFirst()) where frame >= a.frame && frame <= b.frame {
            let share = Double(frame - a.frame) / Double(b.frame - a.frame)
            return Point(a.x + share * (b.x - a.x), a.y + share * (b.y - a.y))
        }
        return Point(.nan, .nan)
    }
}
