// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files
import Waiting

/// Warns if a camera of this machine sends no frames. The stock element v4l2src waits for frames without a message.
struct SilentCameras {
    private struct Camera {
        let name: String
        let progress = Progress()
        var lastCount = 0
        var hasWarned = false
    }

    private var cameras: [Camera]
    private(set) var next: Deadline

    private static let patience: UInt64 = 5

    /// - Parameter cameras: the cameras of a playing pipeline.
    init(_ cameras: [UnsafeMutablePointer<GstElement>]) {
        self.cameras = cameras.map { element in
            let camera = Camera(name: element.objectName)
            camera.progress.watchOutput(of: element)
            return camera
        }
        next = cameras.isEmpty ? .never : .after(milliseconds: Self.patience * 1000)
    }

    /// Returns a warning for each camera that has sent no frame for five seconds. Warns once until the camera sends
    /// frames again.
    mutating func look() -> [String] {
        guard next.hasPassed else { return [] }
        next = .after(milliseconds: Self.patience * 1000)
        var warnings: [String] = []
        for index in cameras.indices {
            let count = cameras[index].progress.count
            let isSilent = count == cameras[index].lastCount
            if isSilent, !cameras[index].hasWarned {
                warnings.append(
                    "\(cameras[index].name): no frames from the camera for \(Self.patience) s. Check the cable, or choose another "
                        + "mode with size= and fps=")
            }
            (cameras[index].lastCount, cameras[index].hasWarned) = (count, isSilent)
        }
        return warnings
    }
}

extension UnsafeMutablePointer<GstElement> {
    var objectName: String { pointee.object.name.map { String(cString: $0) } ?? "camera" }

    var factoryName: String? {
        gst_element_get_factory(self).flatMap { UnsafeMutablePointer<GstObject>($0).pointee.name }.map {
            String(cString: $0)
        }
    }

    /// True if the element is a live video source, such as a camera. False for svurisrc, which reports lost cameras
    /// itself.
    var isLiveCamera: Bool {
        guard let factory = gst_element_get_factory(self), factoryName != "svurisrc",
            let kind = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS),
            String(cString: kind) == "Source/Video",
            g_type_check_instance_is_a(cast(to: GTypeInstance.self), gst_base_src_get_type()) != 0
        else { return false }
        return gst_base_src_is_live(cast(to: GstBaseSrc.self)) != 0
    }
}

/// Returns advice about an error of v4l2src, because the error message names only the failed system call.
func cameraAdvice(_ error: GError, _ details: String) -> String? {
    let code = UInt32(bitPattern: error.code)
    if error.domain == gst_stream_error_quark() {
        return details.includes("not-negotiated") ? modeAdvice : nil
    }
    guard error.domain == gst_resource_error_quark() else { return nil }
    return switch code {
    case GST_RESOURCE_ERROR_NOT_FOUND.rawValue:
        "There is no camera at this path. The command cameras lists the cameras."
    case GST_RESOURCE_ERROR_BUSY.rawValue: "Another program uses the camera. Close this program."
    case GST_RESOURCE_ERROR_OPEN_READ.rawValue, GST_RESOURCE_ERROR_OPEN_WRITE.rawValue,
        GST_RESOURCE_ERROR_OPEN_READ_WRITE.rawValue:
        "The command doctor checks the permissions for the camera."
    case GST_RESOURCE_ERROR_READ.rawValue, GST_RESOURCE_ERROR_FAILED.rawValue:
        "The camera was disconnected, or does not answer. With the key on-loss=hold, the pipeline waits for the camera."
    case GST_RESOURCE_ERROR_SETTINGS.rawValue: modeAdvice
    default: nil
    }
}

private let modeAdvice =
    "The camera does not support the mode. Set size= and fps= to a mode that the command cameras lists."
