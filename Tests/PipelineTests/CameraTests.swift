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
