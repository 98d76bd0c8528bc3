// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Filters
import Imaging
import Synchronization
import TestScope
import TestSupport
import Testing
import Vision

/// Tests that faces stay hidden if other elements are between the detector and svoverlay.
@Suite("svoverlay: hidden faces, whatever stands between")
struct PrivacyMatrixTests {
    /// Exceptions: after these elements, faces are not at the positions in the metadata. docs/svoverlay.md lists them.
    private static let exceptions: Set<String> = []

    // MARK: - Chains

    /// Plugins whose filters for raw video are tested with default properties, if they are installed.
    private static let plugins = [
        "coreelements", "videofilter", "videofiltersbad", "videocrop", "videobox", "videomixer", "alpha", "alphacolor",
        "effectv", "geometrictransform", "gaudieffects", "deinterlace", "smooth", "compositor", "videorate", "opencv",
        "frei0r", "navigationtest", "coloreffects", "cairo", "pango", "zbar", "freeverb", "fieldanalysis", "interlace",
    ]

    /// Elements that have an effect only with certain properties, and chains with codecs and network elements.
    private static let told = [
        "videocrop left=200", "videocrop top=100 bottom=40", "videoflip video-direction=horiz",
        "videoflip video-direction=90r", "videoflip video-direction=180", "videobox left=-200 autocrop=false",
        "videobox left=100 top=50", "aspectratiocrop aspect-ratio=1/1", "alpha method=green",
        "videomedian filtersize=9",
        "rotate angle=0.7", "videobalance contrast=0.6 saturation=0", "gamma gamma=1.8",
        "videoscale ! video/x-raw,width=480",
        "videoscale ! video/x-raw,width=480,height=480,pixel-aspect-ratio=1/1",
        "videoscale add-borders=false ! video/x-raw,width=480,height=480,pixel-aspect-ratio=1/1",
        "videorate ! video/x-raw,framerate=50/1", "videorate ! video/x-raw,framerate=10/1",
        "deinterlace mode=interlaced", "compositor sink_0::xpos=120 sink_0::ypos=40",
        "x264enc tune=zerolatency ! h264parse ! avdec_h264", "jpegenc ! jpegdec", "pngenc ! pngdec",
        "vp8enc deadline=1 ! vp8dec", "theoraenc ! theoradec",
        "x264enc tune=zerolatency ! rtph264pay ! rtph264depay ! h264parse ! avdec_h264",
        "video/x-raw,format=I420 ! jpegenc ! rtpjpegpay ! rtpjpegdepay ! jpegdec",
        "vp8enc deadline=1 ! rtpvp8pay ! rtpvp8depay ! vp8dec", "rtpvrawpay ! rtpvrawdepay",
        "matroskamux ! matroskademux", "tee ! queue",
    ]

    /// Elements of this project.
    private static let own =
        Filter.all.filter { [.distortion, .geometry, .tile].contains($0.category) }.map {
            "svfilter filters=\($0.name)"
        }
        + [
            "svfilter filters=\"mirror | crop-zoom zoom=1.6\"", "svfilter filters=crystallize",
            "svfilter filters=zoom-blur", "svfilter filters=pixellate", "svfilter filters=bloom", "svtint red=0.3",
            "svedges", "svblend capture-every=40000000 width=480 height=270 xpos=480 fit=contain",
            "svfacemerge layout=swap", "svfacemerge layout=pair", "svfacemerge layout=studio select-every=40000000",
            "svtestscene scene=faces count=1", "svmixer background-color=0xff808080",
            "svmixer sink_0::width=700 sink_0::xpos=-100", "svoverlay", "svblobdetect",
            "svzones heatmap=true zones=a:0.5,0->0.5,1",
        ]

    private static let stock: [String] = {
        guard GStreamer.isReady else { return [] }
        return plugins.flatMap { RawVideoFilters.of(plugin: $0) }.filter { !unsuited.contains($0) }
    }()

    /// Elements that only drop, write or wait; and cvdilate and cverode, because version 1.22 reads beyond their
    /// frames.
    private static let unsuited: Set<String> = [
        "valve", "downloadbuffer", "fakevideodec", "interlace", "input-selector", "funnel", "concat", "streamiddemux",
        "output-selector", "multiqueue", "disparity", "cvdilate", "cverode",
    ]

    /// All chains use the same detector, because it reads several files.
    private static let detector = Mutex<Result<FaceDetector, any Error>?>(nil)

    private static func faces(in frame: TestFrame) throws -> [Rectangle] {
        try detector.withLock { detector in
            let ready =
                detector ?? Result { try FaceDetector(settings: .classic, library: CascadeLibrary()) }
            detector = ready
            return try ready.get().faces(in: frame)
        }
    }

    @Test("No face is found in what comes out", arguments: TestScope.some(stock, oneIn: 3) + told + own)
    func hidden(_ chain: String) throws {
        guard !Self.exceptions.contains(chain) else { return }
        let scenes = try MarkedScenes.shared.get()
        guard let shown = try scenes.shown(through: chain) else { return }
        // Detections at positions without a face.
        var mistakes: [Rectangle] = []
        for (scene, frame) in shown {
            let found = try frame.isUniform ? [] : Self.faces(in: frame)
            if scene == 0 {
                mistakes += found
                continue
            }
            let faces = found.filter { face in !mistakes.contains { face.isLike($0) } }
            #expect(faces.isEmpty, "\(MarkedScenes.counts[scene]) faces through \(chain): \(faces)")
        }
    }

    @Test(
        "Faces alone are hidden, the rest is as it was",
        arguments: [
            "identity", "videoconvert ! video/x-raw,format=I420", "videoscale ! video/x-raw,width=480,height=270",
            "videoscale ! video/x-raw,width=1000,height=562", "videorate ! video/x-raw,framerate=50/1", "queue",
            "tee ! queue", "x264enc tune=zerolatency ! h264parse ! avdec_h264", "svtint red=0.5",
            "svmixer", "svfilter filters=sepia-tone", "svfilter filters=mirror",
        ])
    func others(_ chain: String) throws {
        let scenes = try MarkedScenes.shared.get()
        let plain = try #require(try scenes.frames(through: chain, then: "identity"))
        let shown = try #require(try scenes.shown(through: chain))
        #expect(plain.count == shown.count && shown.count >= MarkedScenes.counts.count)
        for (before, after) in zip(plain, shown) {
            #expect(before.scene == after.scene)
            let (a, b) = (before.frame, after.frame)
            #expect(a.width == b.width && a.height == b.height)
            let mirrored = chain.contains("mirror")
            let heads = scenes.heads(before.scene, in: PixelSize(width: a.width, height: a.height)).map { head in
                let x = mirrored ? a.width - head.x - head.width : head.x
                return Rectangle(x: x - 3, y: head.y - 3, width: head.width + 6, height: head.height + 6)
            }
            // The output of encoders varies slightly, so one in a thousand pixels may differ more.
            let tolerance = chain.contains("x264enc") ? 24 : 0
            let most = chain.contains("x264enc") ? a.width * a.height / 9000 : 0
            var (changed, astray) = (0, 0)
            for y in stride(from: 0, to: a.height, by: 3) {
                for x in stride(from: 0, to: a.width, by: 3) where a.differs(from: b, x, y, by: tolerance) {
                    changed += 1
                    if !heads.contains(where: { $0.contains(x, y) }) { astray += 1 }
                }
            }
            #expect(astray <= most, "\(chain), \(MarkedScenes.counts[before.scene]) faces")
            #expect((changed > 50) == (before.scene > 0), "\(chain), \(MarkedScenes.counts[before.scene]) faces")
        }
    }
}

extension Rectangle {
    /// Returns true if both rectangles are at approximately the same position.
    fileprivate func isLike(_ other: Rectangle) -> Bool {
        let common = intersection(other)
        return 2 * common.width * common.height > min(width * height, other.width * other.height)
    }
}

extension FaceDetector {
    /// Returns the boxes of the faces in a BGRA image.
    fileprivate func faces(in frame: TestFrame) throws -> [Rectangle] {
        let plane = OwnedImage(.gray8)
        var bytes = frame.bytes
        try bytes.withUnsafeMutableBytes {
            let base = try required($0.baseAddress, "no bytes")
            try plane.fill(
                grayOf: Image(
                    base: base, width: frame.width, height: frame.height, stride: 4 * frame.width, format: .bgra))
        }
        return try faces(in: plane.image).map {
            Rectangle(x: Int($0.box.x), y: Int($0.box.y), width: Int($0.box.width), height: Int($0.box.height))
        }
    }
}

extension TestFrame {
    fileprivate func differs(from other: TestFrame, _ x: Int, _ y: Int, by tolerance: Int) -> Bool {
        zip(self[x, y], other[x, y]).contains { abs(Int($0) - Int($1)) > tolerance }
    }

    /// True if the frame consists of a few cells with one colour each. A frame that is completely hidden looks like
    /// this.
    fileprivate var isUniform: Bool {
        var colors: Set<[UInt8]> = []
        for y in stride(from: 0, to: height, by: 5) {
            for x in stride(from: 0, to: width, by: 5) {
                colors.insert(self[x, y])
                if colors.count > 100 { return false }
            }
        }
        return true
    }
}
