// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// A strong reference to a mixer's pad.
final class PadReference<Pad: MixerPad> {
    let pad: UnsafeMutablePointer<GstVideoAggregatorPad>

    init(_ pointer: UnsafeMutableRawPointer) {
        gst_object_ref(pointer)
        pad = pointer.assumingMemoryBound(to: GstVideoAggregatorPad.self)
    }

    deinit { gst_object_unref(pad) }

    private var object: UnsafeMutablePointer<GstObject> { pad.cast() }

    var swift: MixerPadInstance<Pad>? { MixerPadInstance<Pad>.of(sv_object_instance(pad.cast())) }

    var info: GstVideoInfo {
        g_mutex_lock(&object.pointee.lock)
        defer { g_mutex_unlock(&object.pointee.lock) }
        return pad.pointee.info
    }

    /// Returns the size of the input in pixels, and its area in the output; nil if the input is hidden or has no caps.
    func area(in output: FrameShape) -> (size: PixelSize, area: InputArea)? {
        let info = info
        guard info.finfo != nil, let pad = swift?.pad else { return nil }
        return pad.area(of: info.shape, in: output, hasAlpha: info.hasAlpha).map { (info.frameSize, $0) }
    }

    var hasCaps: Bool { info.finfo != nil && info.width > 0 }

    var hasEnded: Bool { gst_aggregator_pad_is_eos(pad.cast()) != 0 }

    /// Returns the current state of the input.
    /// - Parameters:
    ///   - next: the running times of the start and the end of the next frame; nil if the caller does not need
    ///     `MixerInputLife.isComplete`.
    func life(isLive: Bool, next: (start: ClockTime, end: ClockTime)? = nil) -> MixerInputLife? {
        swift.map {
            MixerInputLife(
                number: number, hasFrames: $0.arrivals.hasFrames, hasEnded: hasEnded, silence: $0.arrivals.silence,
                isLive: isLive, hasPicture: hasPicture(at: next?.start), isComplete: next.map(isComplete) ?? false,
                end: $0.arrivals.end)
        }
    }

    private func isComplete(for next: (start: ClockTime, end: ClockTime)) -> Bool {
        sv_video_aggregator_pad_is_complete(
            pad, GstClockTime(next.start.nanoseconds), GstClockTime(next.end.nanoseconds)) != 0
    }

    /// Returns true if the pad has a frame that is not a gap. After the end of the stream, the last frame counts only
    /// until its end time, unless the property `repeat-after-eos` is true.
    func hasPicture(at time: ClockTime?) -> Bool {
        guard let buffer = gst_video_aggregator_pad_get_current_buffer(pad), gst_buffer_get_size(buffer) > 0 else {
            return false
        }
        return time.map { sv_video_aggregator_pad_is_over(pad, GstClockTime($0.nanoseconds)) == 0 } ?? true
    }

    /// True if the pad has a frame without a crop rectangle.
    var hasWholeFrame: Bool {
        guard let buffer = gst_video_aggregator_pad_get_current_buffer(pad) else { return false }
        return buffer.cropRectangle == nil
    }

    /// Sends an event upstream, to the source of the input.
    /// - Parameter event: the event (transfer full).
    func push(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        gst_pad_push_event(pad.cast(), event) != 0
    }

    /// The number in the pad's name, for example 3 for `sink_3`.
    var number: Int {
        ElementKit.number(of: object)
    }
}

/// Returns the number in a pad's name, or `Int.max` if the name has no number.
func number(of object: UnsafeMutablePointer<GstObject>) -> Int {
    g_mutex_lock(&object.pointee.lock)
    defer { g_mutex_unlock(&object.pointee.lock) }
    let name = object.pointee.name.map { String(cString: $0) } ?? ""
    return name.lastIndex(of: "_").flatMap { Int(name[name.index(after: $0)...]) } ?? .max
}

final class MixerPadClass<Pad: MixerPad>: ClassInfo {
    private let category: DebugCategory

    init(_ metadata: ElementMetadata) {
        category = DebugCategory(name: metadata.name + "pad", description: metadata.longName + " inputs")
    }

    override func initialise(_ objectClass: UnsafeMutablePointer<GObjectClass>) {
        install(Pad.properties, on: objectClass)
        ActionDeclarations([:]).attach(to: objectClass.pointee.g_type_class.g_type)
    }

    override func makeInstance(_ object: UnsafeMutablePointer<GObject>) -> ObjectInstance {
        MixerPadInstance<Pad>(PadHost(object: object, category: category, properties: Pad.properties))
    }
}

/// The functions of a mixer that its pads call.
protocol InputHider: AnyObject {
    /// The shape of the output; an empty shape if unknown.
    var outputShape: FrameShape { get }
    /// Sets the animated properties of all pads to their values for the next frame, once per frame. Only the streaming
    /// thread may call this function.
    func animateInputs()
    /// Chooses the inputs for the next frame, once per frame. Only the streaming thread may call this function.
    func chooseInputs()
    /// Returns true if a pad's input is completely hidden. Only the streaming thread may call this function.
    func hides(_ pad: UnsafeMutableRawPointer) -> Bool
}

/// The callbacks of every mixer pad. The C part of the plugin (CElements) calls these methods.
class AnyMixerPadInstance: ObjectInstance {
    let arrivals = InputArrivals()

    func arrived(_ arrival: SVArrival) {}

    func handle(_ event: InputEvent) -> Bool {
        guard case .ends(let end) = event else { return false }
        arrivals.end = end
        return true
    }

    func prepare(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
        gst_buffer_ref(buffer)
    }
    func convertedSize(_ input: FrameShape, in output: FrameShape) -> PixelSize { input.size }
}

extension GstVideoInfo {
    /// Returns the format to which the mixer converts this input before mixing. For a YUV output, the input keeps its
    /// format if `VideoFormat` supports this format. For other inputs with alpha, the result is a format with alpha. In
    /// all other cases, the result is `usually`, the choice of the base class.
    fileprivate func mixed(into output: GstVideoInfo, usually: GstVideoInfo) -> GstVideoInfo {
        guard let shown = VideoFormat(output)?.frameFormat else { return usually }
        if shown.isYUV, VideoFormat(self) != nil { return self }
        guard hasAlpha, let format = shown.isYUV ? .bgra : shown.packed?.withAlpha, format != shown.packed else {
            return usually
        }
        return usually.with(format.gstFormat, size: usually.frameSize) ?? usually
    }

    /// Returns a copy of the video info with this format and size. If the format is new, the copy has the default
    /// colorimetry of the format.
    fileprivate func with(_ format: GstVideoFormat, size: PixelSize) -> GstVideoInfo? {
        guard let width = UInt32(exactly: size.width), let height = UInt32(exactly: size.height) else { return nil }
        var new = GstVideoInfo()
        guard gst_video_info_set_format(&new, format, width, height) != 0 else { return nil }
        if format == finfo?.pointee.format {
            new.chroma_site = chroma_site
            new.colorimetry = colorimetry
        }
        (new.par_n, new.par_d) = (par_n, par_d)
        (new.fps_n, new.fps_d) = (fps_n, fps_d)
        new.flags = flags
        new.interlace_mode = interlace_mode
        return new
    }
}

final class MixerPadInstance<Pad: MixerPad>: AnyMixerPadInstance {
    private let host: PadHost<Pad.Settings>
    let pad: Pad
    // Only the mixer's streaming thread uses the following properties.
    var state = Pad.State()
    /// The visible part of the last frame.
    private var extent: FrameExtent?
    /// The last message to the source of the input: whether the mixer showed the input, and the value of
    /// `arrivals.streams` at that time.
    private var told: (isShown: Bool, stream: UInt64)?

    init(_ host: PadHost<Pad.Settings>) {
        self.host = host
        pad = Pad(host: host)
    }

    override func arrived(_ arrival: SVArrival) { arrivals.note(arrival, at: host.object.cast()) }

    override var object: AnyObject? { pad }
    override func getProperty(_ id: UInt32, _ value: UnsafeMutablePointer<GValue>) { host.getProperty(id, value) }

    /// Sets a property. If the change affects the size of the converted input, the base class gets a new converter.
    override func setProperty(_ id: UInt32, _ value: UnsafePointer<GValue>) {
        followingSize { host.setProperty(id, value) }
    }

    func startAnimation() throws { try host.startAnimation() }

    /// Reports to the source of the input whether the mixer shows the input. Sends an event only after a change, and
    /// once for each new stream.
    func tell(_ visibility: InputVisibility, through pad: PadReference<Pad>) {
        let stream = arrivals.streams
        guard stream > 0, told.map({ $0.isShown != visibility.isShown || $0.stream != stream }) ?? true else { return }
        told = (visibility.isShown, stream)
        if let event = InputEvent.visibility(visibility).event { _ = pad.push(event) }
    }

    /// Sets animated properties to their values for the mixer's next frame.
    func animate(to elapsed: ClockTime) {
        followingSize { _ = host.settings(at: elapsed) }
    }

    private func followingSize(_ change: () -> Void) {
        let before = pad.sizing
        change()
        if pad.sizing != before { updateConversion() }
    }

    private func updateConversion() {
        gst_video_aggregator_convert_pad_update_conversion_info(host.object.cast())
    }

    /// True if the input is hidden. Only the mixer knows the other inputs, so the pad asks the mixer.
    private var isHidden: Bool {
        guard let parent = host.owner,
            let mixer = ObjectInstance.of(sv_object_instance(parent.pointer.cast())) as? any InputHider
        else { return false }
        mixer.animateInputs()
        mixer.chooseInputs()
        // First checks the settings of this pad, because they hide most inputs in some mixers. This check is faster
        // than the search for inputs that cover this input.
        let info = host.object.cast(to: GstVideoAggregatorPad.self).pointee.info
        guard pad.area(of: info.shape, in: mixer.outputShape, hasAlpha: info.hasAlpha) != nil else { return true }
        return mixer.hides(UnsafeMutableRawPointer(host.object))
    }

    /// Prepares a frame for conversion. GStreamer's converter ignores GstVideoCropMeta. If the crop rectangle has the
    /// size in the caps, the converter gets only the pixels inside this rectangle. Otherwise, the converter gets the
    /// whole frame, and the method `input` crops the converted frame.
    override func prepare(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
        guard !isHidden else { return nil }
        let info = host.object.cast(to: GstVideoAggregatorPad.self).pointee.info
        let prepared = buffer.visiblePart(info.frameSize) ?? gst_buffer_ref(buffer)
        setExtent(FrameExtent(prepared ?? buffer, size: info.frameSize))
        return prepared
    }

    private func setExtent(_ new: FrameExtent) {
        guard new != extent else { return }
        let isNew = extent?.isUncropped == false || !new.isUncropped
        extent = new
        if isNew { updateConversion() }
    }

    override func convertedSize(_ input: FrameShape, in output: FrameShape) -> PixelSize {
        guard let extent, !extent.isUncropped, extent.full == input.size else {
            return pad.size(for: input, in: output)
        }
        let visible = extent.visible.size
        let size = pad.size(for: FrameShape(visible, input.pixel), in: output)
        func scaled(_ full: Int, _ part: Int, _ to: Int) -> Int { part > 0 ? (full * to + part / 2) / part : full }
        return PixelSize(
            width: scaled(input.size.width, visible.width, size.width),
            height: scaled(input.size.height, visible.height, size.height))
    }

    func inputShape(_ info: GstVideoInfo) -> MixerInputShape<Pad> {
        MixerInputShape(pad: pad, settings: host.settings, shape: info.shape)
    }

    /// Returns the visible part of a converted frame. The function scales the crop rectangle, because GstVideoCropMeta
    /// applies to the size before the conversion.
    private func visible(of copy: FrameImage) -> FrameImage {
        guard let extent, !extent.isUncropped, extent.full.width > 0, extent.full.height > 0 else { return copy }
        func scaled(_ position: Int, _ from: Int, _ to: Int) -> Int { (position * to + from / 2) / from }
        let (full, part) = (extent.full, extent.visible)
        let (x, y) = (scaled(part.x, full.width, copy.width), scaled(part.y, full.height, copy.height))
        return copy.cropped(
            to: Rectangle(
                x: x, y: y, width: scaled(part.x + part.width, full.width, copy.width) - x,
                height: scaled(part.y + part.height, full.height, copy.height) - y))
    }

    /// Returns the pad's current frame; nil if there is none.
    func input(_ reference: PadReference<Pad>) -> MixerInput<Pad>? {
        guard let frame = gst_video_aggregator_pad_get_prepared_frame(reference.pad),
            let buffer = gst_video_aggregator_pad_get_current_buffer(reference.pad),
            let prepared = FrameImage(frame.pointee, buffer: frame.pointee.buffer)
        else { return nil }
        let pixels = frame.pointee.buffer == buffer ? prepared : visible(of: prepared)
        let info = reference.info
        let hasPadding = info.finfo.flatMap { FrameFormat($0.pointee.format)?.packed }?.padding != nil
        return MixerInput(
            pad: pad, number: reference.number, state: state, settings: host.settings, pixels: pixels,
            hasAlpha: info.hasAlpha,
            alphaIsPadding: hasPadding && pixels.format.packed?.alpha != nil, buffer: buffer, inputSize: info.frameSize,
            visibleShape: FrameShape(
                extent.flatMap { $0.isUncropped ? nil : $0.visible.size } ?? info.frameSize, info.pixelAspect))
    }
}

extension GstVideoInfo {
    var hasAlpha: Bool {
        finfo.map { $0.pointee.flags.rawValue & GST_VIDEO_FORMAT_FLAG_ALPHA.rawValue != 0 } ?? false
    }
}

// MARK: - The functions that CElements calls

/// The callbacks for the C part of the plugin (CElements). `nonisolated(unsafe)` is safe here, because the table never
/// changes after its initialisation.
nonisolated(unsafe) let padFunctions = immortal(
    SVPadFunctions(
        object: objectFunctions,
        arrived: { instance, arrival in AnyMixerPadInstance.of(instance)?.arrived(arrival) },
        custom_event: { instance, structure in
            guard let event = structure.flatMap(InputEvent.init) else { return 0 }
            return AnyMixerPadInstance.of(instance)?.handle(event) == true ? 1 : 0
        },
        prepare: { instance, buffer in
            guard let buffer, let pad = AnyMixerPadInstance.of(instance) else { return nil }
            return pad.prepare(buffer)
        },
        conversion_info: { instance, input, output, info in
            guard let input, let output, let info, let pad = AnyMixerPadInstance.of(instance) else { return }
            let mixed = input.pointee.mixed(into: output.pointee, usually: info.pointee)
            let size = pad.convertedSize(mixed.shape, in: output.pointee.shape)
            guard size != mixed.frameSize, let format = mixed.finfo?.pointee.format else {
                info.pointee = mixed
                return
            }
            info.pointee = mixed.with(format, size: size) ?? mixed
        }))
