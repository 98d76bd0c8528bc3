// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import KernelTypes

/// Rows of `svblend` over YUV beside the same by way of BGRx, as a pipeline does it whose element knows no YUV.
extension Catalogue {
    var yuvBlending: [Row] {
        ["NV12", "YUY2"].flatMap { format in
            let modes = BlendMode.allCases.filter { $0 != .none }
            return modes.map { yuvBlending($0, format) }
                + modes.map { yuvBlending($0, format, "+opacity", opacity: 0.6) }
        }
    }

    private func yuvBlending(_ mode: BlendMode, _ format: String, _ suffix: String = "", opacity: Double = 1) -> Row {
        let (background, size) = (Content.pictures(format, .fullHD), FrameSize.fullHD)
        let still = Still(of: .pictures("BGRx", size, seed: 2), in: folder)
        let element = "svblend name=m location=\"\(still.path)\""
        func job(_ elements: String) -> StreamJob {
            var job = StreamJob(elements, on: background, effort, isWatched: false)
            job.properties = ["mode": mode.nick, "opacity": "\(opacity)"]
            return job
        }
        return .pair(
            "svblend/\(format)/\(mode.nick)\(suffix)", job(element),
            beside: job(
                "videoconvert ! video/x-raw,format=BGRx ! \(element) ! video/x-raw,format=BGRx ! videoconvert "
                    + "! video/x-raw,format=\(format)"),
            Peer(factory: "videoconvert", package: "gstreamer1.0-plugins-base"), preparations: [still.preparation],
            ratio: mode.isSeparable ? 0.25 : 0.35)
    }
}
