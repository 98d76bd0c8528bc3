// SPDX-License-Identifier: LGPL-2.1-or-later
import Vision

/// Saves two models alternately to the path in its argument, until it is killed.
@main
enum ModelSaver {
    static func main() {
        guard let path = CommandLine.arguments.dropFirst().first else { return }
        var number = 0
        while true {
            number += 1
            var gallery = Gallery()
            for face in 0..<(number.isMultiple(of: 2) ? 3 : 9) {
                let pixels = [UInt8](repeating: UInt8(16 + face), count: FaceSample.pixelCount)
                if let sample = FaceSample(pixels: pixels) { gallery.add(sample, of: "Ada") }
            }
            do {
                try ModelFile(gallery: gallery, algorithm: .lbph).save(to: path)
            } catch {
                return
            }
        }
    }
}
