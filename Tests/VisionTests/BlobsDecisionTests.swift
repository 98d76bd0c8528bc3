// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Foundation
import Imaging
import Testing
@testable import Vision

/// Tests of the blob detector's decisions about regions of drawn scenes.
@Suite("Blobs: decisions")
struct BlobsDecisionTests {
    private func decisions(
        _ change: (inout BlobSettings) -> Void = { _ in }, draw: (FrameImage) -> Void
    ) throws -> [Decision] {
        let video = AnyFrame(FrameFormat(.bgrx), width: 640, height: 480)
        draw(video.frame)
        var settings = BlobSettings()
        change(&settings)
        let record = DecisionRecord()
        _ = try BlobDetector(settings: settings).blobs(in: video.frame, record: record)
        return record.decisions
    }

    /// Returns the decisions about a region that is similar to a box.
    private func about(_ box: Box, _ decisions: [Decision]) -> [Decision] {
        decisions.filter { $0.box.intersectionOverUnion(box) > 0.6 }
    }

    @Test("A thing, a thing at the border, a cast shadow and a speck: each is decided by its own rule")
    func scene() throws {
        let all = try decisions { frame in
            // To the right of the object and below it, the background (216, 220, 224) has half of its light.
            frame.fill(Rectangle(x: 240, y: 150, width: 80, height: 120), color: 0xFF_6C_6E_70)
            frame.fill(Rectangle(x: 200, y: 120, width: 80, height: 120), color: 0xFF_A0_20_20)
            frame.fill(Rectangle(x: 0, y: 60, width: 60, height: 90), color: 0xFF_20_40_A0)
            frame.fill(Rectangle(x: 500, y: 400, width: 6, height: 6), color: 0xFF_20_20_20)
        }
        let text = all.map(\.description).joined(separator: "\n")
        let kept = all.filter { $0.view == .frame }
        #expect(kept.count == 2 && kept.allSatisfy { $0.outcome == .kept && $0.check == nil }, "\(text)")
        #expect(!about(Box(x: 200, y: 120, width: 80, height: 120), kept).isEmpty, "\(text)")
        #expect(!about(Box(x: 0, y: 60, width: 60, height: 90), kept).isEmpty, "\(text)")

        let speck = try #require(
            all.first { $0.box.width < 30 && $0.box.overlap(Box(x: 500, y: 400, width: 6, height: 6)) > 20 }, "\(text)")
        #expect(speck.outcome == .tooSmall && speck.check?.rule == .minSize && speck.check?.isMet == false)
        // 0.03 of 480 pixels
        #expect(speck.check?.limit == 14)

        let shadow = try #require(all.first { $0.outcome == .castShadow }, "\(text)")
        #expect(shadow.box.overlap(Box(x: 280, y: 150, width: 40, height: 120)) > 0.8 * 40 * 120, "\(text)")
        // ln 0.5
        #expect(abs((shadow.level ?? 0) + 0.69) < 0.04, "\(text)")
        #expect(shadow.check?.rule == .proof && shadow.check?.isMet == true, "\(text)")
        #expect(all.contains { $0.outcome == .foregroundLimit && $0.check?.rule == .leastDistance })
    }

    @Test("A region with only a few clearly different pixels is no blob", arguments: [(12, false), (60, true)])
    func faint(clearWidth: Int, isBlob: Bool) throws {
        let all = try decisions { frame in
            // 6 % and 12 % darker than the background
            frame.fill(Rectangle(x: 200, y: 120, width: 120, height: 120), color: 0xFF_D2_CE_CA)
            frame.fill(Rectangle(x: 250, y: 120, width: clearWidth, height: 120), color: 0xFF_C5_C2_BE)
        }
        let region = about(Box(x: 200, y: 120, width: 120, height: 120), all)
        let text = all.map(\.description).joined(separator: "\n")
        #expect(region.contains { $0.outcome == .kept } == isBlob, "\(text)")
        #expect(region.contains { $0.outcome == .faint && $0.check?.rule == .clearFraction } != isBlob, "\(text)")
    }

    @Test("A dark part of a thing is no shadow, because the rest of the thing does not explain the part")
    func noShadow() throws {
        let all = try decisions { frame in
            frame.fill(Rectangle(x: 200, y: 120, width: 200, height: 60), color: 0xFF_A0_20_20)
            frame.fill(Rectangle(x: 200, y: 180, width: 40, height: 200), color: 0xFF_6C_6E_70)
        }
        let text = all.map(\.description).joined(separator: "\n")
        #expect(!all.contains { $0.outcome == .castShadow }, "\(text)")
        let part = try #require(
            all.first { $0.outcome == .noShadow && $0.box.overlap(Box(x: 200, y: 190, width: 40, height: 180)) > 3600 },
            "\(text)")
        #expect(part.check?.isMet == false && "\(part)".contains("ShadowTuning."), "\(text)")
    }

    @Test("Gaps that erosion closes, limits of the number of blobs, and boxes inside other boxes are named")
    func limits() throws {
        let gap = try decisions {
            ($0.erodeKernel, $0.erodeIterations) = (0.015, 4)
        } draw: { frame in
            for x in [200, 252] { frame.fill(Rectangle(x: x, y: 120, width: 40, height: 100), color: 0xFF_30_30_30) }
        }
        #expect(gap.contains { $0.outcome == .merged && $0.check?.value == 2 })
        func discs(_ change: (inout BlobSettings) -> Void) throws -> [Decision] {
            try decisions(change) { frame in
                for (index, radius) in [50.0, 36, 28].enumerated() {
                    frame.disc(Point(120 + 180 * Double(index), 240), radius: radius, color: 0xFF_20_20_60)
                }
            }
        }
        let many = try discs { $0.maxBlobs = 2 }
        #expect(many.contains { $0.outcome == .tooMany && $0.check?.value == 3 && $0.check?.limit == 2 })
        #expect(many.count { $0.outcome == .kept } == 2)
        #expect(try discs { $0.maxSize = 0.18 }.contains { $0.outcome == .tooLarge && $0.check?.rule == .maxSize })
        #expect(try discs { $0.model = .frameMean }.contains { $0.outcome == .insideAnother })
    }

    @Test("A record does not change the result")
    func sameResult() throws {
        for index in 0..<4 {
            let scene = try PaperScene(Thing.drawn[index % Thing.drawn.count], seed: UInt64(700 + index))
            for ground in BlobSettings.Ground.allCases {
                var settings = BlobSettings()
                settings.ground = ground
                let plain = try BlobDetector(settings: settings).blobs(in: scene.picture)
                let recorded = try withExtendedLifetime(scene.picture) {
                    try BlobDetector(settings: settings).blobs(in: scene.picture.frame, record: DecisionRecord())
                }
                #expect(plain == recorded)
            }
        }
    }

    @Test(
        "Each limit has the name of a constant, a function or a property in the sources",
        arguments: Check.Limit.allCases)
    func names(limit: Check.Limit) throws {
        let root = URL(fileURLWithPath: #filePath + "/../../..").standardized
        let parts = limit.rawValue.split(separator: ".").map(String.init)
        let folder = root.appendingPathComponent(
            parts.count == 2 ? "Sources/Vision/Blobs" : "Sources/Elements/BlobDetect")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        let texts = try files.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
        #expect(
            texts.contains { text in
                guard parts.count == 2 else { return text.contains("\"\(limit.rawValue)\"") }
                let declares = ["static let \(parts[1])", "func \(parts[1])("].contains { text.contains($0) }
                return declares && ["enum \(parts[0])", "struct \(parts[0])"].contains { text.contains($0) }
            })
    }
}
