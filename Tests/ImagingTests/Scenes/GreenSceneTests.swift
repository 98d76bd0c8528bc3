// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Scenes
import Testing

@Suite("Scenes: green wall")
struct GreenSceneTests {
    private static let (width, height) = (320, 180)

    private func picture(_ kind: Scene.Kind, count: Int = 1, seed: UInt64 = 3, speed: Double = 1, at time: Double)
        -> Picture
    {
        let picture = Picture(.bgra, width: Self.width, height: Self.height)
        picture.fill { _, _ in 90 }
        let scene = Scene(kind, count: count, seed: seed, speed: speed, width: Self.width, height: Self.height)
        ScenePainter(scene).draw(on: FrameImage(picture.image), at: time)
        return picture
    }

    private func luma(_ pixel: [UInt8]) -> Double {
        0.114 * Double(pixel[0]) + 0.587 * Double(pixel[1]) + 0.299 * Double(pixel[2])
    }

    @Test("One figure at most, in the frame, that moves smoothly; its matte tells nothing of faces", arguments: 0..<4)
    func bounds(seed: UInt64) {
        for (width, height) in [(640, 360), (1281, 721), (360, 640), (96, 96)] {
            let scene = Scene(.green, count: 5, seed: seed, width: width, height: height)
            #expect(Scene(.matte, count: 5, seed: seed, width: width, height: height).entities(at: 1).isEmpty)
            var last: SceneEntity?
            for number in 0..<50 {
                let entities = scene.entities(at: Double(number) / 30)
                #expect(entities.count == 1)
                guard let entity = entities.first else { continue }
                let box = entity.rectangle
                #expect(entity.kind == .human && entity.id == 1)
                #expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height)
                if let last {
                    #expect(abs(last.nose.x - entity.nose.x) < Double(width) / 40)
                    #expect(abs(last.nose.y - entity.nose.y) < Double(height) / 40)
                }
                last = entity
            }
        }
        #expect(Scene(.green, count: 1, seed: seed, width: 95, height: 500).entities(at: 0).isEmpty)
        #expect(Scene(.green, count: 0, seed: seed, width: 640, height: 360).entities(at: 0).isEmpty)
        #expect(Scene(.green, count: 1, seed: seed, width: .max, height: .max).entities(at: .nan).count == 1)
    }

    @Test("The wall loses 20 % of its light, and has noise of 3 levels")
    func wall() {
        let wall = picture(.green, count: 0, at: 0)
        // Mean levels of squares with 20 x 20 pixels.
        var means: [Double] = []
        var squares = 0.0
        for y in stride(from: 0, to: Self.height, by: 20) {
            for x in stride(from: 0, to: Self.width, by: 20) {
                let greens = (0..<400).map { Double(wall[x + $0 % 20, y + $0 / 20][1]) }
                let mean = greens.reduce(0, +) / 400
                means.append(mean)
                // Differences between neighbours, so that the gradient of the light has little effect.
                for (one, next) in zip(greens, greens.dropFirst()) { squares += (one - next) * (one - next) / 2 }
            }
        }
        let (minimum, maximum) = (means.min() ?? 0, means.max() ?? 0)
        #expect(minimum / maximum > 0.79 && minimum / maximum < 0.84, "\(minimum) of \(maximum)")
        let deviation = (squares / Double(means.count * 399)).squareRoot()
        #expect(deviation > 2.8 && deviation < 3.3, "\(deviation)")
        let pixel = wall[40, 40]
        #expect(pixel[1] > 2 * pixel[2] && pixel[1] > 2 * pixel[0] && pixel[3] == 255)
    }

    @Test("Noise is another one in each frame, and the same for the same moment; without speed it is still")
    func noise() {
        #expect(picture(.green, at: 0.5).bytes == picture(.green, at: 0.5).bytes)
        #expect(picture(.green, count: 0, at: 0.5).bytes != picture(.green, count: 0, at: 0.54).bytes)
        #expect(picture(.green, speed: 0, at: 0.5).bytes == picture(.green, speed: 0, at: 9).bytes)
    }

    @Test("The matte is of the figure: wall where it is black, edges as soft as the figure's, spill within them")
    func matte() {
        for time in [0, 1.7] {
            let (frame, matte) = (picture(.green, at: time), picture(.matte, at: time))
            let wall = picture(.green, count: 0, at: time)
            var (full, part, ofEdge, ofInside) = (0, 0, [Double](), [Double]())
            for y in 12..<Self.height - 12 {
                for x in 12..<Self.width - 12 {
                    let level = matte[x, y][0]
                    #expect(matte[x, y] == [level, level, level, 255])
                    if level == 0 { #expect(frame[x, y] == wall[x, y]) }
                    full += level == 255 ? 1 : 0
                    part += level > 0 && level < 255 ? 1 : 0
                    guard level == 255 else { continue }
                    let around = [(-4, 0), (4, 0), (0, -4), (0, 4)].map { matte[x + $0.0, y + $0.1][0] }
                    let far = [(-12, 0), (12, 0), (0, -12), (0, 12)].map { matte[x + $0.0, y + $0.1][0] }
                    let pixel = frame[x, y].map(Double.init)
                    let green = pixel[1] - max(pixel[0], pixel[2])
                    if around.contains(0) { ofEdge.append(green) }
                    if far.allSatisfy({ $0 == 255 }) { ofInside.append(green) }
                }
            }
            #expect(full > Self.width * Self.height / 8)
            #expect(part > 500)
            func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
            #expect(ofEdge.count > 50 && mean(ofEdge) > mean(ofInside) + 10, "\(mean(ofEdge)), \(mean(ofInside))")
        }
    }
}
