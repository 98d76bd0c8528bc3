// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Filters
import Imaging
import TestSupport

/// A case that sends frames, queries and events to an element and changes its properties.
struct ElementCase {
    static let names = [
        "svblend", "svmixer", "svswitch", "svfilter", "svfacedetect", "svfacemerge", "svfacerecognize", "svblobdetect",
        "svblobclassify", "svlogodetect", "svtestscene", "svoverlay", "svzones", "svtint", "svedges", "svevents",
    ]

    private static let mixers = ["svmixer", "svswitch"]

    private let name: String
    private let goods: Goods
    private let settings: Settings
    private let stand: any Stand
    /// The element and other objects with properties, such as pads.
    private let objects: [Handle]
    private var dice: Dice
    private var shape: Shape

    init(_ name: String, _ goods: Goods, _ dice: Dice) throws {
        (self.name, self.goods, self.dice) = (name, goods, dice)
        settings = Settings(goods: goods)
        let flows = [GST_FLOW_EOS, GST_FLOW_FLUSHING, GST_FLOW_ERROR, GST_FLOW_NOT_NEGOTIATED, GST_FLOW_NOT_LINKED]
        let flow = self.dice.once(in: 12) ? self.dice.pick(flows) : GST_FLOW_OK
        if Self.mixers.contains(name) {
            let mixer = try MixerStand(name)
            (stand, objects) = (mixer, try [mixer.element] + mixer.pads())
        } else {
            stand = try PadStand(name, flow: flow, hasSound: name == "svevents")
            objects = [stand.element]
        }
        shape = Shape(&self.dice, in: Self.formats(name), goods)
    }

    private static func formats(_ name: String) -> [FrameFormat] {
        ["svblend", "svfilter"].contains(name) ? FrameFormat.all + FrameFormat.deep : FrameFormat.all
    }

    // MARK: - Running

    mutating func run() {
        prepare()
        for _ in 0..<dice.below(4) { settings.setProperty(of: dice.pick(objects), &dice) }
        stand.set(dice.once(in: 20) ? GST_STATE_READY : GST_STATE_PLAYING)
        for input in 0..<inputs { begin(input) }
        for _ in 0..<2 + dice.below(8) { step() }
        stand.finish()
    }

    /// Sets a property of the element to a file, and then pushes some frames.
    mutating func run(loading path: String, by property: String) {
        prepare()
        stand.element.set(property, path)
        stand.set(GST_STATE_PLAYING)
        begin(0)
        for _ in 0..<2 { push() }
        stand.finish()
    }

    private var inputs: Int { Self.mixers.contains(name) ? 2 : 1 }

    /// Sets properties without which the element would have no effect or would be slow.
    private mutating func prepare() {
        let element = stand.element
        switch name {
        case "svblend": element.set("location", dice.pick(goods.pictures + ["none"]))
        case "svfilter": if dice.once(in: 2) { element.set("filters", dice.pick(Filter.all).name) }
        case "svfacedetect":
            // Loading OpenCV's cascades takes longer than the rest of the case.
            if !dice.once(in: 60) {
                for part in ["face", "cat", "left-eye", "right-eye", "open-eye"] {
                    element.set("\(part)-cascade", goods.selective)
                }
            }
            element.set("scale-factor", "1.5")
            element.set("min-neighbors", "\(dice.below(3))")
        case "svfacemerge": if dice.once(in: 10) { element.set("partner", dice.pick(goods.pictures)) }
        case "svfacerecognize": if dice.once(in: 3) { element.set("model", goods.files("yml")[0]) }
        case "svblobclassify": if dice.once(in: 4) { element.set("training", goods.files("plist")[0]) }
        case "svlogodetect": if dice.once(in: 2) { element.set("template", goods.pictures[0]) }
        case "svevents":
            // In the folder that does not exist, clips fail.
            element.set(
                "location",
                dice.pick([
                    "none", "/does/not/exist/{label}.mkv", "\(goods.scratch)/{label}.mkv", "\(goods.scratch)/%M.mp4",
                ]))
            element.set("pre-roll", dice.once(in: 2) ? "0" : "100000000")
        case "svtestscene": element.set("count", "1")
        case "svzones":
            element.set(
                "zones", dice.pick(["a:0,0 1,0 0.9,1;b:0.5,0->0.5,1", "a:0.2,0.2 0.8,0.2 0.8,0.8 0.2,0.8", "none"]))
            element.set("settle", dice.pick(["0", "300000000"]))
            element.set("labels", dice.pick(["none", "face", "truth/face"]))
        case "svoverlay": element.set("show", dice.once(in: 2) ? "boxes+labels" : "boxes")
        default: break
        }
        if element.spec("mode") != nil, !Self.mixers.contains(name), name != "svblend" {
            element.set("mode", dice.once(in: 4) ? "async" : "sync")
        }
    }

    private mutating func begin(_ input: Int) {
        stand.setCaps(shape.caps(&dice, isOdd: inputs == 1 && dice.once(in: 8)), input: input)
        if inputs == 1 { stand.sendDownstream(dice.segment(isOdd: false), input: input) }
    }

    private mutating func push() {
        guard let buffer = shape.buffer(&dice, isTame: Self.mixers.contains(name)) else { return }
        dice.addMetadata(to: buffer.pointer, width: shape.width, height: shape.height)
        let other = dice.once(in: 8) ? buffer.reference : nil
        stand.push(buffer, input: dice.below(inputs))
        if let other { gst_buffer_unref(other) }
    }

    private mutating func step() {
        let input = dice.below(inputs)
        switch dice.below(20) {
        case 0: settings.setProperty(of: dice.pick(objects), &dice)
        case 1: settings.act(on: stand.element, &dice)
        case 2: stand.sendUpstream(dice.upstreamEvent(isTame: inputs > 1))
        case 3: stand.sendDownstream(dice.downstreamEvent(hasSegments: inputs == 1), input: input)
        case 4 where dice.once(in: 2):
            shape = Shape(&dice, in: Self.formats(name), goods)
            stand.setCaps(shape.caps(&dice, isOdd: inputs == 1 && dice.once(in: 6)), input: input)
        case 5 where dice.once(in: 2):
            stand.sendDownstream(gst_event_new_flush_start(), input: input)
            stand.sendDownstream(gst_event_new_flush_stop(dice.once(in: 2) ? 1 : 0), input: input)
            if dice.once(in: 2) {
                stand.sendDownstream(dice.segment(isOdd: inputs == 1 && dice.once(in: 3)), input: input)
            }
        case 6 where dice.once(in: 3):
            stand.set(dice.pick([GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED]))
            if !dice.once(in: 3) { stand.set(GST_STATE_PLAYING) }
            for input in 0..<inputs { begin(input) }
        case 7, 8: if let stand = stand as? PadStand, name == "svevents" { pushSound(to: stand) } else { push() }
        default: push()
        }
    }

    private static let sounds = [
        "audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved",
        "audio/x-raw,format=F32LE,rate=8000,channels=2,layout=interleaved",
        "audio/mpeg,mpegversion=1,layer=3,rate=48000,channels=1,parsed=true",
    ]

    /// Sends some audio, with caps, a flush or the end of the stream at random.
    private mutating func pushSound(to stand: PadStand) {
        if let caps = gst_caps_from_string(dice.pick(Self.sounds)) {
            stand.sendSound(gst_event_new_caps(caps))
            gst_caps_unref(caps)
        }
        stand.sendSound(dice.segment(isOdd: dice.once(in: 6)))
        for index in 0..<1 + dice.below(4) {
            let bytes = dice.bytes(8 * (1 + dice.below(400)))
            let memory = bytes.withUnsafeBytes { gst_buffer_new_memdup($0.baseAddress, gsize($0.count)) }
            guard let memory else { return }
            // Audio that is more than 1 s ahead of the video waits for the video.
            memory.pointee.pts =
                dice.once(in: 60)
                ? GstClockTime(dice.bits()) : GstClockTime(index * dice.pick([0, 20, 200]) * 1_000_000)
            stand.pushSound(Buffer(taking: memory))
        }
        guard dice.once(in: 4) else { return }
        if dice.once(in: 2) {
            stand.sendSound(gst_event_new_flush_start())
            stand.sendSound(gst_event_new_flush_stop(1))
        } else {
            stand.sendSound(gst_event_new_eos())
        }
    }
}

// MARK: - Events

extension Dice {
    mutating func segment(isOdd: Bool) -> UnsafeMutablePointer<GstEvent>? {
        var segment = GstSegment()
        let formats = [GST_FORMAT_BYTES, GST_FORMAT_DEFAULT, GST_FORMAT_PERCENT, GST_FORMAT_BUFFERS, GST_FORMAT_TIME]
        gst_segment_init(&segment, isOdd ? pick(formats) : GST_FORMAT_TIME)
        if isOdd {
            segment.rate = pick([1, -1, 0.5, 1e9, -1e-9])
            segment.applied_rate = pick([1, -1, 2])
            segment.start = min(time(), 1 << 62)
            // GStreamer rejects a segment if its stop is before its start.
            segment.stop = max(segment.start, segment.rate < 0 ? min(time(), 1 << 62) : time())
            segment.base = time()
            segment.time = time()
            segment.offset = min(time(), segment.stop - segment.start)
            segment.position = time()
        }
        return gst_event_new_segment(&segment)
    }

    private mutating func time() -> guint64 {
        pick([0, 0, 1, 40_000_000, 1_000_000_000, 1 << 62, guint64.max, guint64(bits())])
    }

    /// - Parameter hasSegments: true if frames may be outside of their segment. GstVideoAggregator aborts for such
    ///   frames.
    mutating func downstreamEvent(hasSegments: Bool) -> UnsafeMutablePointer<GstEvent>? {
        switch below(6) {
        case 0: return gst_event_new_eos()
        case 1:
            let times: [GstClockTime] = [0, 40_000_000, 2_000_000_000]
            return gst_event_new_gap(pick(times), pick(times + [GstClockTime.max]))
        case 2: return segment(isOdd: hasSegments)
        case 3:
            let tags = ["rotate-90", "flip-rotate-270", "nonsense", "rotate-0"]
            return gst_event_new_tag(gst_tag_list_new_from_string("taglist,image-orientation=\(pick(tags))"))
        case 4: return gst_event_new_stream_start("fuzz-\(below(3))")
        default: return gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("fuzz"))
        }
    }

    /// - Parameter isTame: true to omit events that GstVideoAggregator cannot handle: backward seeks, and QoS events
    ///   before the first frame.
    mutating func upstreamEvent(isTame: Bool) -> UnsafeMutablePointer<GstEvent>? {
        let keys = ["c", "x", "s", "m", "M", "plus", "minus", "+", "-", "l", "t", "1", "2", "space", "Escape"]
        switch below(9) {
        case 0, 1, 2:
            return gst_navigation_event_new_key_press(
                once(in: 8) ? text() : pick(keys), GST_NAVIGATION_MODIFIER_NONE)
        case 3: return gst_navigation_event_new_mouse_move(double(), double(), GST_NAVIGATION_MODIFIER_NONE)
        case 4:
            return gst_navigation_event_new_mouse_button_press(
                int32(), double(), double(), GST_NAVIGATION_MODIFIER_NONE)
        case 5:
            return gst_navigation_event_new_mouse_scroll(
                double(), double(), double(), double(), GST_NAVIGATION_MODIFIER_NONE)
        case 6:
            return gst_event_new_seek(
                pick(isTame ? [1, 2] : [1, -1, 2]), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET,
                gint64(below(1000)),
                GST_SEEK_TYPE_NONE, -1)
        case 7 where !isTame:
            return gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, double().magnitude, gint64(below(1000)), 0)
        default: return gst_event_new_navigation(gst_structure_new_empty(pick(["application/x", "a", "x"])))
        }
    }
}
