// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Scenes
import Testing

@Suite("Scenes: logo")
struct LogoSceneTests {
    @Test("The mark is in the frame in every pose, of 10 % to 60 % of its height, and moves smoothly", arguments: 0..<6)
    func bounds(seed: UInt64) {
        for (width, height) in [(640, 480), (1281, 721), (240, 400), (96, 96)] {
            let scene = Scene(.logo, count: 1, seed: seed, width: width, height: height)
            var last: SceneEntity?
            for number in 0..<300 {
                let entities = scene.entities(at: Double(number) / 30)
                #expect(entities.count == 1)
                guard let entity = entities.first else { continue }
                let box = entity.rectangle
                #expect(entity.kind == .logo && entity.id == 1)
                #expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height)
                // A square of that height, tilted and rotated.
                let shorter = Double(min(width, height))
                #expect(Double(max(box.width, box.height)) >= 0.08 * shorter)
                #expect(Double(max(box.width, box.height)) <= 0.9 * shorter)
                if let last {
                    #expect(abs(last.nose.x - entity.nose.x) < Double(width) / 20)
                    #expect(abs(last.rectangle.width - box.width) < max(6, width / 15))
                }
                last = entity
            }
        }
    }

    @Test("No room in small frames; one logo at most")
    func count() {
        #expect(Scene(.logo, count: 1, width: 95, height: 500).entities(at: 0).isEmpty)
        #expect(Scene(.logo, count: 0, width: 640, height: 480).entities(at: 0).isEmpty)
        #expect(Scene(.logo, count: 9, width: 640, height: 480).entities(at: 0).count == 1)
        #expect(Scene(.logo, count: 1, width: .max, height: .max).entities(at: .nan).count == 1)
        let still = Scene(.logo, count: 1, speed: 0, width: 640, height: 480)
        #expect(still.entities(at: 0) == still.entities(at: 99))
    }

    /// Facing the camera, in units of which the mark has 176: its edges at ±88, seen without tilt as they are.
    @Test("A pose by hand")
    func pose() {
        var pose = LogoPose(center: Point(200, 100), size: 88, frameHeight: 240)
        #expect(pose.rectangle == Rectangle(x: 156, y: 56, width: 88, height: 88))
        pose.turn = 90
        #expect(pose.rectangle == Rectangle(x: 156, y: 56, width: 88, height: 88))
        // Tilted about the vertical axis: a point 44 to the right moves to 44 cos 60° = 22 and 44 sin 60° farther away,
        // at a focal length of 288: 22 · 288 / 326.1 = 19.4; on the left 22 · 288 / 249.9 = 25.4.
        pose.turn = 0
        pose.tilt = 60
        let box = pose.rectangle
        #expect(box.x == 175 && box.x + box.width == 219)
    }

    @Test("What is drawn is where the truth says, on every format", arguments: FrameFormat.all)
    func drawn(format: FrameFormat) {
        let video = Video(format, width: 161, height: 121, padding: 3)
        let before = video.bytes
        let pose = LogoPose(center: Point(80, 60), size: 60, turn: 0, frameHeight: 121)
        video.frame.fill(video.frame.bounds, color: 0xFF80_8080)
        pose.draw(on: video.frame)
        let luma = Picture(.gray8, width: 161, height: 121)
        video.frame.copyLuma(into: luma.image)
        // In the mark below its hole, in that hole, on the card, beyond it.
        let levels = [(80, 82), (80, 63), (80, 95), (5, 5)].map { luma[$0.0, $0.1][0] }
        #expect(levels[0] < 100 && levels[1] > 150 && levels[2] > 150 && (115...135).contains(levels[3]), "\(levels)")
        #expect(video.isIntactAround(before))
    }

    @Test("A wall is the same for a seed, in frames of any size")
    func backdrop() {
        func bytes(_ seed: UInt64, _ width: Int, _ height: Int) -> [[UInt8]] {
            let video = Video(FrameFormat(.bgra), width: width, height: height, padding: 0)
            Backdrop(seed: seed, width: width, height: height).draw(on: video.frame)
            return video.bytes
        }
        #expect(bytes(1, 120, 90) == bytes(1, 120, 90))
        #expect(bytes(1, 120, 90) != bytes(2, 120, 90))
        for size in [1, 2, 25] { _ = bytes(1, size, size) }
        let small = Video(FrameFormat(.bgra), width: 8, height: 8, padding: 0)
        withExtendedLifetime(small) { Backdrop(seed: 1, width: -4, height: .max).draw(on: small.frame) }
    }
}
