// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Imaging

/// Writes the messages about frames. All messages share the memory of one writer.
struct FrameMessage {
    private var writer = JSONWriter()
    private let schema: PublishSchema
    private let source: String?
    private let tags: JSONValue?

    init(_ settings: PublishSettings) throws {
        (schema, source, tags) = (settings.schema, settings.source, try settings.tagValue())
    }

    /// Returns the message about a frame. The result has no unused memory, because messages may wait in the queue for a
    /// long time. The writer itself keeps memory for the largest message so far.
    /// - Parameters:
    ///   - size: the size of the visible part of the frame, to which boxes are relative.
    ///   - number: the number of previous frames.
    ///   - zones: the zones of the frame, and the events in the frame.
    mutating func bytes(
        _ detections: [Detection], at time: FrameTime, size: PixelSize, number: UInt64,
        zones: FrameZones? = nil
    ) -> [UInt8] {
        writer.clear()
        switch schema {
        case .dlstreamer: writeStreamer(detections, at: time, size: size, zones)
        case .deepstream: writeMinimal(detections, number)
        }
        return writer.bytes.withUnsafeBufferPointer { Array($0) }
    }

    private mutating func writeStreamer(
        _ detections: [Detection], at time: FrameTime, size: PixelSize,
        _ zones: FrameZones?
    ) {
        let (source, tags) = (source, tags)
        writer.table {
            $0.writeFrame(at: time, size: size)
            if let source {
                $0.name("source")
                $0.write(source)
            }
            if let tags {
                $0.name("tags")
                $0.write(tags)
            }
            if let zones { $0.write(zones) }
            $0.writeObjects(detections, in: size, [.corners, .models])
        }
    }

    // MARK: - DeepStream

    private mutating func writeMinimal(_ detections: [Detection], _ number: UInt64) {
        let source = source ?? "0"
        writer.table {
            $0.name("version")
            $0.write("4.0")
            $0.name("id")
            $0.write(number)
            $0.name("@timestamp")
            $0.write(timestamp(.rfc3339))
            $0.name("sensorId")
            $0.write(source)
            $0.name("objects")
            $0.list { writer in for detection in detections { writer.write(Self.minimal(detection)) } }
        }
    }

    /// Returns `id|left|top|right|bottom|class`. If there are classifications, appends `|#|`, their labels and the
    /// confidence. As in DeepStream, -0.1 is an unknown confidence.
    private static func minimal(_ detection: Detection) -> String {
        func field(_ text: String) -> String { text.replacing(each: "|", with: "/") }
        let box = detection.box
        var fields = ["\(detection.id)", "\(box.x)", "\(box.y)", "\(box.x + box.width)", "\(box.y + box.height)"]
        fields.append(field(detection.label))
        if !detection.classifications.isEmpty {
            let confidence = JSONValue.real(detection.confidence ?? -0.1).line
            fields += ["#"] + detection.classifications.map { field($0.label) } + [confidence]
        }
        return fields.joined(separator: "|")
    }
}
