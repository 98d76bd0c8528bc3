// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of `./launch cameras`, and of the keys for cameras. Tests have no camera: small programs replace `v4l2-ctl` and
/// `gst-device-monitor-1.0`, and the tests read the printed pipelines.
@Suite struct CameraTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    /// Creates a program that replaces v4l2-ctl.
    private func installControl() throws {
        try write(Self.devices, to: "devices")
        try write(Self.formats, to: "formats")
        try write(Self.controls, to: "controls")
        try program(
            "v4l2-ctl",
            """
            #!/bin/sh
            case "$*" in
                --list-devices) cat '\(folder.path("devices"))' ;;
                '--device /dev/video77 --list-formats-ext') cat '\(folder.path("formats"))' ;;
                '--device /dev/video77 --list-ctrls-menus') cat '\(folder.path("controls"))' ;;
            esac

            """)
    }

    /// Creates a program that replaces gst-device-monitor-1.0.
    private func installMonitor() throws {
        try write(Self.monitored, to: "monitored")
        try program("gst-device-monitor-1.0", "#!/bin/sh\ncat '\(folder.path("monitored"))'\n")
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.path(name), atomically: false, encoding: .utf8)
    }

    /// Writes a program. A separate process writes it. Otherwise, a process that starts at this moment could have the
    /// file open.
    private func program(_ name: String, _ script: String) throws {
        let write = "mkdir -p bin && printf '%s' \"$1\" >bin/\(name) && chmod 755 bin/\(name)"
        try Program.run(["sh", "-c", write, "sh", script], in: folder.path).expectSuccess(name)
    }

    /// Runs `launch` on a machine that has neither v4l2-ctl nor gst-device-monitor-1.0.
    private func launchWithoutPrograms(_ words: [String]) throws -> Outcome {
        let links = "mkdir bin && ln -s /usr/bin/* bin && rm -f bin/v4l2-ctl bin/gst-device-monitor-1.0"
        try Program.shell(links, in: folder.path).expectSuccess("links")
        return try Program.run(
            [Repository.root + "/launch"] + words, in: folder.path, environment: ["PATH": folder.path("bin")])
    }

    private func launch(_ words: [String]) throws -> Outcome {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try Program.run(
            [Repository.root + "/launch"] + words, in: folder.path,
            environment: ["PATH": "\(folder.path("bin")):\(path)"])
    }

    private func isInstalled(_ program: String) throws -> Bool { try Program.run(["which", program]).status == 0 }

    // MARK: - The list

    @Test func theListContainsModesAndControls() throws {
        try installControl()
        let list = try launch(["cameras"])
        list.expectSuccess("./launch cameras")
        for line in [
            "/dev/video77  Small Camera: Small C",
            "    1280x720 (JPEG)        29.97, 7.50 frames per second",
            "    640x480                30 frames per second",
            "    48x32 to 400x300",
            "    640x480                8.33 frames per second",
            "    brightness                     -64 to 64, default 0, current value 5",
            "    white_balance_automatic        0 to 1, default 1, current value 1",
            "    auto_exposure                  1 = Manual Mode, 3 = Aperture Priority Mode; default 3, current value 3",
            "    focus_absolute                 0 to 250 in steps of 5, default 0, current value 20"
                + " (inactive: an automatic control sets the value)",
            "    temperature                    read-only, default 0, current value 40",
        ] {
            #expect(list.outputLines.contains { $0 == line }, "\(list.output)")
        }
        // v4l2src does not support H.264.
        #expect(!list.output.contains("1920x1080"))
        #expect(list.output.contains("/dev/video78  Small Camera: Small C\n  no video modes: "))
        #expect(!list.output.contains("/dev/media0"))
    }

    @Test func withoutControlProgramTheListContainsModesAndAHint() throws {
        try installMonitor()
        let list = try launch(["cameras"])
        list.expectSuccess("./launch cameras")
        #expect(
            list.output.contains(
                """
                /dev/video77  Small Camera: Small C
                  modes (size=, fps=):
                    1280x720               10 frames per second
                    640x480                30, 15 frames per second
                    1280x720 (JPEG)        60, 30 frames per second
                """), "\(list.output)")
        #expect(list.output.contains("    48x32 to 1920x1080     1 to 30 frames per second"), "\(list.output)")
        if try !isInstalled("v4l2-ctl") {
            #expect(list.errors.contains("apt-get install v4l-utils"), "\(list.errors)")
        }
    }

    @Test func withoutACameraOneLineSaysSo() throws {
        let devices = try FileManager.default.contentsOfDirectory(atPath: "/dev")
        if try devices.contains(where: { $0.hasPrefix("video") }) || isInstalled("gst-device-monitor-1.0") {
            try Test.cancel("this machine may have a camera")
        }
        let list = try launch(["cameras"])
        #expect(list.status == 1 && list.output.isEmpty)
        #expect(list.errorLines.count == 1 && list.errors.contains("no camera found"), "\(list.errors)")
    }

    @Test func theListHasNoArguments() throws {
        let list = try launch(["cameras", "/dev/video0"])
        #expect(list.status == 2 && list.errors.contains("too many arguments for cameras"))
    }

    // MARK: - Controls

    @Test func controlsReachTheCamera() throws {
        let settings = "camera=focus_absolute=30, exposure_time_absolute=200"
        let printed = try launch(["blend", "source=/dev/video77", settings, "sink=null", "--print"])
        printed.expectSuccess(settings)
        let words = " 'extra-controls=\"c,focus_absolute=30,exposure_time_absolute=200\"' ! "
        #expect(printed.output.contains(words), "\(printed.output)")
    }

    @Test(arguments: [
        "a", "a=", "a=1,", "a=x", "a=1.5", "a=1;b=2", "a=1 ! fakesink", "A=1", "a=12345678901", "a=08", "a=-01",
        "a=1,b=00",
    ])
    func malformedControlsAreRefused(_ controls: String) throws {
        let outcome = try launch(["blend", "source=/dev/video77", "camera=\(controls)", "--print"])
        #expect(outcome.status == 2 && outcome.errorLines.count == 1)
        #expect(outcome.errors.contains("camera=\(controls): use NAME=NUMBER"), "\(outcome.errors)")
    }

    @Test(arguments: [
        ("focus_absolut=30", "did you mean 'focus_absolute'?"), ("focus_absolute=251", "Use 0 to 250"),
        ("brightness=-65", "Use -64 to 64"), ("white_balance_automatic=2", "Use 0 to 1"),
        ("auto_exposure=2", "Valid values: 1 = Manual Mode, 3 = Aperture Priority Mode"),
        ("temperature=3", "because it is read-only. Remove temperature=3"),
    ])
    func controlsThatTheCameraDoesNotHaveAreRefused(_ controls: String, _ fix: String) throws {
        try installControl()
        let outcome = try launch(["blend", "source=/dev/video77", "camera=\(controls)", "--print"])
        #expect(outcome.status == 2 && outcome.errorLines.count == 1)
        #expect(outcome.errors.contains(fix), "\(outcome.errors)")
    }

    @Test(arguments: [[], ["source=rtsp://user:secret@camera/1"], ["source=\(Repository.foreground)"]] as [[String]])
    func onlyCamerasHaveControls(_ source: [String]) throws {
        let outcome = try launch(["blend", "camera=focus_absolute=30", "--print"] + source)
        #expect(outcome.status == 2 && outcome.errorLines.count == 1)
        #expect(outcome.errors.contains(" is not a camera of this machine. Use source="), "\(outcome.errors)")
        #expect(!outcome.errors.contains("secret"))
    }

    // MARK: - Modes

    /// The camera's mode, and what follows from the mode.
    struct Choice: CustomTestStringConvertible, Sendable {
        let keys: [String]
        let media: String
        let size: String
        let rate: String?
        /// The elements between decodebin and svblend.
        let elements: String
        let note: String
        var testDescription: String { keys.joined(separator: " ") }

        init(_ keys: String, _ media: String, _ size: String, _ rate: String?, _ elements: String, _ note: String) {
            self.keys = keys.split(separator: " ").map(String.init)
            (self.media, self.size, self.rate, self.elements, self.note) = (media, size, rate, elements, note)
        }

        var caps: String {
            let sides = size.split(separator: "x")
            let caps = "\(media),width=\(sides[0]),height=\(sides[1])"
            return rate.map { "\(caps),framerate=\($0);\(caps)" } ?? caps
        }
    }

    /// The camera has the size, so the video needs no scaling. The recording needs the size all the same.
    @Test func aRecordingOfASupervisedCameraHasTheWantedSize() throws {
        try installControl()
        let outcome = try launch([
            "faces", "sink=a.mkv", "source=/dev/video77", "on-loss=card", "size=640x480", "fps=30", "--print",
        ])
        #expect(outcome.output.contains(" on-loss=card ! video/x-raw,format=I420,width=640,height=480,"), "\(outcome)")
    }

    static let choices = [
        Choice(
            "size=1280x720", "image/jpeg", "1280x720", "30000/1001", "videoconvert",
            "using 1280x720 (JPEG) at 30000/1001 frames per second\n"),
        // Many cameras reduce the rate in dim light, so videorate stays.
        Choice(
            "size=640x480 fps=30", "video/x-raw", "640x480", "30/1",
            "videorate ! video/x-raw,framerate=30/1 ! videoconvert", "using 640x480 at 30 frames per second\n"),
        // The aspect ratio is more important than the number of pixels.
        Choice(
            "size=640x360", "image/jpeg", "1280x720", "30000/1001",
            "videoscale ! video/x-raw,width=640,height=360,pixel-aspect-ratio=1/1 ! videoconvert",
            ", because the camera reports no mode with 640x360\n"),
        Choice(
            "size=1280x720 fps=10", "image/jpeg", "1280x720", "15/2",
            "videorate ! video/x-raw,framerate=10/1 ! videoconvert",
            ", because the camera reports no mode with 1280x720 at 10 frames per second\n"),
        Choice(
            "fps=30", "video/x-raw", "640x480", "30/1", "videorate ! video/x-raw,framerate=30/1 ! videoconvert",
            "using 640x480 at 30 frames per second\n"),
        // Without fps=, the highest rate of the size is best.
        Choice("size=640x480", "video/x-raw", "640x480", "30/1", "videoconvert", "at 30 frames per second\n"),
        // The camera does not report the rate of this mode.
        Choice("size=424x240", "video/x-raw", "424x240", nil, "videoconvert", "using 424x240 at an unknown rate\n"),
        Choice(
            "size=424x240 fps=8", "video/x-raw", "424x240", nil,
            "videorate ! video/x-raw,framerate=8/1 ! videoconvert", "using 424x240 at an unknown rate\n"),
        // A known rate is better than an unknown rate.
        Choice(
            "fps=8", "video/x-raw", "640x480", "25/3", "videorate ! video/x-raw,framerate=8/1 ! videoconvert",
            "using 640x480 at 25/3 frames per second, because the camera reports no mode at 8 frames per second\n"),
        Choice(
            "fps=50/6", "video/x-raw", "640x480", "25/3", "videorate ! video/x-raw,framerate=50/6 ! videoconvert",
            "using 640x480 at 25/3 frames per second\n"),
        // The camera does not rotate its frames.
        Choice(
            "size=720x1280 flip=90", "image/jpeg", "1280x720", "30000/1001",
            "videoconvert ! videoflip video-direction=90r ! videoconvert", "using 1280x720 (JPEG) at "),
    ]

    @Test(arguments: choices) func theNearestModeIsUsed(_ choice: Choice) throws {
        try installControl()
        let printed = try launch(["blend", "source=/dev/video77", "sink=null", "--print"] + choice.keys)
        printed.expectSuccess(choice.testDescription)
        let words = "'caps=\"\(choice.caps)\"' ! decodebin ! \(choice.elements) ! svblend "
        #expect(printed.output.contains(words), "\(printed.output)")
        #expect(printed.errorLines.count == 1 && printed.errors.contains(choice.note), "\(printed.errors)")
    }

    @Test func modesCanComeFromGStreamer() throws {
        try installMonitor()
        for (device, keys, caps) in [
            ("/dev/video77", ["fps=60"], "image/jpeg,width=1280,height=720,framerate=60/1;"),
            ("/dev/video77", ["size=1280x720"], "image/jpeg,width=1280,height=720,framerate=60/1;"),
            ("/dev/video79", ["size=1000x700", "fps=12"], "video/x-raw,width=1000,height=700,framerate=12/1;"),
            ("/dev/video79", ["size=1001x701"], "video/x-raw,width=1002,height=702,framerate=30/1;"),
            ("/dev/video79", ["size=4000x3000"], "video/x-raw,width=1920,height=1080,framerate=30/1;"),
        ] {
            let printed = try launch(["blend", "source=\(device)", "sink=null", "--print"] + keys)
            printed.expectSuccess("\(keys)")
            #expect(printed.output.contains("'caps=\"\(caps)"), "\(printed.output)")
        }
    }

    /// A stepwise camera may refuse a size, so the pipeline also accepts and scales other sizes.
    @Test func theSizeOfAStepwiseCameraHasTheStepOfTheCamera() throws {
        try installControl()
        let stepwise = "[0]: 'YUYV' (YUYV 4:2:2)\n\tSize: Stepwise 32x32 - 1920x1088 with step 16/16\n"
        try write(stepwise, to: "formats")
        for (size, mode) in [
            ("1000x700", "1008x704"), ("1280x720", "1280x720"), ("16x16", "32x32"), ("1920x1088", "1920x1088"),
            ("3840x2176", "1920x1088"),
        ] {
            let printed = try launch(["blend", "source=/dev/video77", "size=\(size)", "sink=null", "--print"])
            printed.expectSuccess(size)
            let (wanted, used) = (size.split(separator: "x"), mode.split(separator: "x"))
            let words =
                "'caps=\"video/x-raw,width=\(used[0]),height=\(used[1]);video/x-raw;image/jpeg\"' ! decodebin"
                + " ! videoscale ! video/x-raw,width=\(wanted[0]),height=\(wanted[1]),"
            #expect(printed.output.contains(words), "\(printed.output)")
            #expect(printed.errors.contains("using \(mode) at an unknown rate"), "\(printed.errors)")
            #expect(printed.errors.contains("reports no mode") == (size != mode), "\(printed.errors)")
        }
    }

    @Test func aCameraWithUnknownModesChoosesTheMode() throws {
        let printed = try launchWithoutPrograms([
            "blend", "source=/dev/video77", "size=640x360", "sink=null", "--print",
        ])
        printed.expectSuccess("source=/dev/video77")
        let preferred = "video/x-raw,width=640,height=360;image/jpeg,width=640,height=360;video/x-raw;image/jpeg"
        #expect(printed.output.contains(preferred) && printed.output.contains(" ! videoscale ! "), "\(printed.output)")
    }

    @Test(arguments: [(nil, 0), ("size=640x360", 1), ("fps=10", 1), ("camera=a=1", 1)] as [(String?, Int)])
    func withoutProgramsAHintNamesThePackage(_ key: String?, _ count: Int) throws {
        let words = ["blend", "source=/dev/video77", "sink=null", "--print"] + (key.map { [$0] } ?? [])
        let printed = try launchWithoutPrograms(words)
        printed.expectSuccess("source=/dev/video77")
        #expect(printed.errorLines.count == count, "\(printed.errors)")
        #expect(printed.errors.contains("apt-get install v4l-utils") == (count == 1), "\(printed.errors)")
    }

    @Test func severalCamerasNeedOneQuery() throws {
        try write(Self.monitored, to: "monitored")
        let answer = "echo asked >>'\(folder.path("asked"))'\ncat '\(folder.path("monitored"))'\n"
        try program("gst-device-monitor-1.0", "#!/bin/sh\n" + answer)
        try launch([
            "switch", "source=/dev/video77", "source2=/dev/video78", "source3=/dev/video79", "size=640x480",
            "sink=null",
            "--print",
        ]).expectSuccess("three cameras")
        #expect(folder.text(of: "asked") == "asked\n")
    }

    @Test func v4l2ControlIsAskedFirst() throws {
        try installControl()
        try program("gst-device-monitor-1.0", "#!/bin/sh\ntouch '\(folder.path("asked"))'\n")
        try launch(["blend", "source=/dev/video77", "size=640x480", "sink=null", "--print"]).expectSuccess("--print")
        #expect(!FileManager.default.fileExists(atPath: folder.path("asked")))
    }

    @Test func severalCamerasNeedOneHint() throws {
        let printed = try launchWithoutPrograms([
            "switch", "source=/dev/video77", "source2=/dev/video78", "source3=/dev/video79", "size=640x480",
            "sink=null",
            "--print",
        ])
        printed.expectSuccess("three cameras")
        #expect(printed.errorLines.count == 1, "\(printed.errors)")
    }

    // MARK: - Answers of the programs

    static let devices = """
        Small Camera: Small C (usb-0000:00:14.0-8):
        \t/dev/video77
        \t/dev/video78
        \t/dev/media0

        """

    static let formats = """
        ioctl: VIDIOC_ENUM_FMT
        \tType: Video Capture

        \t[0]: 'MJPG' (Motion-JPEG, compressed)
        \t\tSize: Discrete 1280x720
        \t\t\tInterval: Discrete 0.033s (29.970 fps)
        \t\t\tInterval: Discrete 0.133s (7.500 fps)
        \t[1]: 'H264' (H.264, compressed)
        \t\tSize: Discrete 1920x1080
        \t\t\tInterval: Discrete 0.033s (30.000 fps)
        \t[2]: 'YUYV' (YUYV 4:2:2)
        \t\tSize: Discrete 640x480
        \t\t\tInterval: Discrete 0.033s (30.000 fps)
        \t\tSize: Stepwise 48x32 - 400x300 with step 2/2
        \t[3]: 'GREY' (8-bit Greyscale)
        \t\tSize: Discrete 640x480
        \t\t\tInterval: Discrete 0.120s (8.333 fps)
        \t\tSize: Discrete 424x240

        """

    static let controls = """

        User Controls

                             brightness 0x00980900 (int)    : min=-64 max=64 step=1 default=0 value=5
                white_balance_automatic 0x0098090c (bool)   : default=1 value=1

        Camera Controls

                          auto_exposure 0x009a0901 (menu)   : min=0 max=3 default=3 value=3 (Aperture Priority Mode)
        \t\t\t\t1: Manual Mode
        \t\t\t\t3: Aperture Priority Mode
                 exposure_time_absolute 0x009a0902 (int)    : min=1 max=5000 step=1 default=157 value=157
                         focus_absolute 0x009a090a (int)    : min=0 max=250 step=5 default=0 value=20 flags=inactive
                            temperature 0x009a0921 (int)    : min=0 max=100 step=1 default=0 value=40 flags=volatile, read-only

        """

    static let monitored = """
        Probing devices...


        Device found:

        \tname  : Small Camera: Small C
        \tclass : Video/Source
        \tcaps  : video/x-raw, format=YUY2, width=1280, height=720, pixel-aspect-ratio=1/1, framerate=10/1
        \t        video/x-raw, format=YUY2, width=640, height=480, framerate={ (fraction)30/1, (fraction)15/1 }
        \t        image/jpeg, width=(int)1280, height=(int)720, framerate=(fraction){ 60/1, 30/1 };
        \t        video/x-raw(memory:DMABuf), format=DMA_DRM, width=99, height=99, framerate=10/1
        \tproperties:
        \t\tdevice.path = /dev/video77
        \tgst-launch-1.0 v4l2src device=/dev/video77 ! ...


        Device found:

        \tname  : Scaling Camera
        \tclass : Video/Source
        \tcaps  : video/x-raw, width=[ 48, 1920, 2 ], height=[ 32, 1080, 2 ], framerate=[ 1/1, 30/1 ]
        \tproperties:
        \t\tapi.v4l2.path = "/dev/video79"

        """
}
