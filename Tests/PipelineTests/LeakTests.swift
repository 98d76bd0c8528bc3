// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// GStreamer's leak tracer must find no living objects at the end.
@Suite struct LeakTests {
    private static let picture = Repository.foreground
    private static let training = Repository.root + "/pipelines/coins/training.plist"
    private static let people =
        "videotestsrc num-buffers=25 ! svtestscene scene=people ! svfacedetect draw=false ! svfacerecognize"
    private static let logo = Repository.logo

    @Test(arguments: [
        "videotestsrc num-buffers=60 ! svblend location=\(picture) mode=overlay ! fakesink",
        "videotestsrc num-buffers=60 ! svblend location=\(picture) mask=\(picture) mode=hud opacity=0.5 ! fakesink",
        "videotestsrc num-buffers=60 ! svblend capture-every=500000000 mode=difference ! fakesink",
        "videotestsrc num-buffers=60 ! svblend location=\(picture) snapshot-every=500000000 ! fakesink",
        "videotestsrc num-buffers=60 ! svblend mode=none location=\(picture) ! fakesink",
        "videotestsrc num-buffers=60 ! tee name=t ! queue ! svblend location=\(picture) ! fakesink t. ! queue ! fakesink",
        "svmixer name=m sink_1::mode=screen sink_1::mask=\(picture) sink_1::width=99 ! fakesink"
            + " videotestsrc num-buffers=60 ! m. videotestsrc pattern=ball num-buffers=40 ! video/x-raw,format=I420 ! m.",
        "svmixer name=m sink_0::mode=hud sink_1::repeat-after-eos=true ! fakesink videotestsrc num-buffers=60 ! m."
            + " filesrc location=\(picture) ! pngdec ! videoconvert ! m.",
        "svswitch name=s every=300000000 duration=400000000 transition=random sink_1::fit=cover ! fakesink"
            + " videotestsrc num-buffers=60 ! s. videotestsrc pattern=ball num-buffers=40 ! video/x-raw,format=I420 ! s.",
        "svswitch name=s active=1 every=200000000 transition=disintegrate transition-mask=\(picture) ! video/x-raw,format=P010_10LE"
            + " ! fakesink videotestsrc is-live=true num-buffers=15 ! s. videotestsrc is-live=true num-buffers=30 ! s.",
        "videotestsrc num-buffers=60 ! svtestscene scene=both ! videoconvert ! video/x-raw,format=RGB ! videoscale"
            + " ! video/x-raw,width=100 ! tee ! queue ! svtestscene ! fakesink",
        "videotestsrc num-buffers=9 ! video/x-raw,width=1,height=1 ! svtestscene ! fakesink",
        "videotestsrc num-buffers=60 ! svtint random=true red=1.5 white-balance=gray-world ! fakesink",
        "videotestsrc num-buffers=60 ! video/x-raw,format=NV12 ! svtint white-balance=simple ! tee ! queue"
            + " ! svedges show=overlay blur=1.5 auto-threshold=true ! fakesink",
        "videotestsrc num-buffers=20 ! video/x-raw,format=RGB ! svedges aperture=7 ! fakesink",
        "videotestsrc num-buffers=60 ! svtestscene scene=coins ! svblobdetect ! svevents name=e trigger=label=blob "
            + "location=clip.mkv pre-roll=500000000 max-disk-space=1000 time-lapse=200000000 "
            + "time-lapse-location=lapse.mp4 ! fakesink audiotestsrc num-buffers=80 ! e.audio",
        "videotestsrc num-buffers=60 ! svtestscene scene=coins ! svblobdetect ! videoconvert ! x264enc tune=zerolatency "
            + "! svevents trigger=label=blob location=clip.mp4 pre-roll=500000000 ! fakesink",
        "videotestsrc num-buffers=60 ! svtestscene scene=walkers ! svzones labels=truth/person settle=0 "
            + "zones=\"a:0,0 1,0 1,1 0,1\" ! videoconvert ! x264enc tune=zerolatency key-int-max=10 ! h264parse "
            + "! svevents name=e trigger=event=enter location=clip-{zone}.mp4 pre-roll=0 time-lapse=200000000 "
            + "time-lapse-location=lapse.mp4 ! fakesink audiotestsrc num-buffers=80 ! avenc_aac ! aacparse ! e.audio",
        // The folder does not exist, so all clips fail.
        "videotestsrc num-buffers=60 ! svtestscene scene=coins ! svblobdetect ! svevents trigger=label=blob "
            + "location=missing/clip.mkv ! fakesink",
        "videotestsrc num-buffers=10 ! svtestscene scene=both ! svfacedetect smile=true ! fakesink",
        "videotestsrc num-buffers=10 ! svtestscene scene=both ! tee name=t ! queue ! svfacedetect draw=false ! fakesink"
            + " t. ! queue ! fakesink",
        "videotestsrc num-buffers=60 ! svfacedetect mode=async interval=1 ! fakesink",
        "videotestsrc num-buffers=10 ! svtestscene scene=logo ! svlogodetect template=\(logo) fps=true ! fakesink",
        "videotestsrc num-buffers=10 ! svtestscene scene=logo ! tee name=t ! queue ! svlogodetect template=\(logo) mode=async"
            + " verify=orb draw=false ! fakesink t. ! queue ! fakesink",
        "videotestsrc num-buffers=10 ! svtestscene scene=both ! svfacedetect draw=false ! videoconvert ! tee name=t"
            + " ! queue ! svoverlay truth=true fps=true colors=face=red ! fakesink t. ! queue ! svoverlay blur-faces=true"
            + " ! fakesink",
        "videotestsrc num-buffers=9 ! svtestscene scene=coins ! svblobdetect ! svblobclassify training=\(training) "
            + "interval=2 ! svoverlay ! fakesink",
        "videotestsrc num-buffers=9 ! svtestscene scene=things shadow=0.5 light-falloff=0.3 ! fakesink",
        "videotestsrc num-buffers=30 ! svtestscene scene=coins count=1 speed=0 ! svblobdetect model=mog2 show=mask ! tee "
            + "! queue ! svblobclassify learn-label=a mode=async ! fakesink",
        "videotestsrc num-buffers=60 ! svtestscene scene=walkers ! svzones labels=truth/person zones=\"a:0,0 1,0 1,1;b:0.5,0->0.5,1\""
            + " settle=0 dwell=100000000 heatmap=true message-location=lines ! svpublish file-path=published ! fakesink",
        "videotestsrc num-buffers=60 ! svfilter filters=\"bloom radius=1->9@1s | twirl | gamma\" ! fakesink",
        "videotestsrc num-buffers=60 ! svfilter reel=30000000 ! fakesink",
        "svswitch name=s follow=true ! fakesink svclip location=\(picture) at-end=loop num-buffers=6 ! s. "
            + "svclip location=\(logo) at-end=hold off-air=restart num-buffers=6 ! s.",
        "\(people) collect-name=Ada collect-count=3 collect-difference=0 save-location=family.yml ! fakesink",
        "\(people) people=\(Repository.people) forget-name=Ben ! fakesink",
    ])
    func nothingLeaks(_ description: String) throws {
        let folder = try ScratchFolder()
        let outcome = try trace(description, in: folder)
        outcome.expectSuccess(description)
    }

    /// Errors use other code paths.
    @Test(arguments: [
        "videotestsrc num-buffers=60 ! svblend location=/does/not/exist.png ! fakesink",
        "videotestsrc num-buffers=60 ! svblend location=/etc/passwd ! fakesink",
        "svmixer name=m sink_0::mask=/does/not/exist.png ! fakesink videotestsrc num-buffers=60 ! m.",
        "videotestsrc num-buffers=60 ! svfacedetect face-cascade=none-such ! fakesink",
        "videotestsrc num-buffers=60 ! svfacedetect cat-cascade=/etc/passwd ! fakesink",
        "videotestsrc num-buffers=60 ! svlogodetect template=/does/not/exist.png ! fakesink",
        "videotestsrc num-buffers=60 ! svlogodetect ! fakesink",
        "videotestsrc num-buffers=60 ! svoverlay pixelate-faces=true ! fakesink",
        "videotestsrc num-buffers=60 ! svblobdetect ! svblobclassify training=/etc/passwd ! fakesink",
        "videotestsrc num-buffers=60 ! svfilter filters=nonsense ! fakesink",
        "videotestsrc num-buffers=60 ! svevents trigger=zone= location=clip.mkv ! fakesink",
        "videotestsrc num-buffers=60 ! svzones zones=nonsense ! fakesink",
        "videotestsrc num-buffers=60 ! svzones zones-location=/etc/passwd ! fakesink",
        "videotestsrc num-buffers=60 ! svfacerecognize model=/etc/passwd ! fakesink",
    ])
    func nothingLeaksAfterAnError(_ description: String) throws {
        let folder = try ScratchFolder()
        let outcome = try trace(description, in: folder)
        #expect(outcome.status != 0)
    }

    private func trace(_ description: String, in folder: ScratchFolder) throws -> Outcome {
        let log = folder.path("trace.log")
        let outcome = try Program.launch(
            description, in: folder.path,
            environment: ["GST_TRACERS": "leaks", "GST_DEBUG": "GST_TRACER:7", "GST_DEBUG_FILE": log])
        let lines = folder.text(of: "trace.log").split(separator: "\n")
        #expect(lines.contains { $0.contains("object-alive") }, "the tracer did not run")
        // The descriptions of the records also contain these words.
        let alive = lines.filter { $0.contains("object-alive, ") && !$0.contains("new format string") }
        #expect(alive.isEmpty, "\(description)")
        return outcome
    }
}
