// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Foundation
import Imaging
import Publishing
import TestSupport
import Testing

@testable import ElementKit
@testable import Elements

/// Tests of svpublish's device in Home Assistant.
@Suite("svpublish and Home Assistant", .serialized)
struct PublishDeviceTests {
    private let folder: TemporaryFolder
    private static let frame = TestFrame(.rgb, 64, 48, color: Color(gray: 100))

    init() throws { folder = try TemporaryFolder() }

    private func line(_ properties: String) throws -> Pipeline {
        try pipeline(
            "appsrc name=in format=time caps=\(Self.frame.caps()) ! svpublish name=p \(properties) ! fakesink sync=false async=false"
        )
    }

    @Test(
        "Without an MQTT broker, the announcement is an error at the start that says what to do",
        arguments: ["true", "remove"], ["method=file file-path=/dev/null", "method=kafka address=127.0.0.1:1"])
    func noBroker(_ action: String, _ destination: String) throws {
        let line = try line("\(destination) ha-discovery=\(action)")
        #expect(line.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.pending(GST_MESSAGE_ERROR).first)
        #expect(error.isError(GST_LIBRARY_ERROR_SETTINGS))
        #expect(error.text.contains("ha-discovery=\(action) needs an MQTT broker. Set method=mqtt"))
    }

    @Test("A wrong prefix is an error at the start")
    func wrongPrefix() throws {
        let line = try line("method=mqtt address=tcp://127.0.0.1:1 ha-discovery=true ha-prefix=a/#")
        #expect(line.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        #expect(try #require(line.bus.pending(GST_MESSAGE_ERROR).first).text.contains("ha-prefix=a/#"))
    }

    @Test("Lists of zones and labels may have spaces, empty names and repeated names")
    func lists() throws {
        var settings = PublishSettings()
        (settings.method, settings.address, settings.discovery) = (.mqtt, "tcp://127.0.0.1:1", .true)
        settings.discoveryZones = " front door ,gate,, gate,"
        let device = try #require(try settings.homeAssistant(version: "1")).device
        let topics = device.announcement.map(\.topic).filter { $0.contains("/zone_") }
        #expect(topics.count == 2 && topics[1].hasSuffix("/zone_gate/config"))
        settings.discovery = .false
        #expect(try settings.homeAssistant(version: "1") == nil)
    }

    @Test("The availability needs stream states, so there are some by default")
    func availability() throws {
        var settings = PublishSettings()
        (settings.method, settings.address, settings.discovery) = (.mqtt, "tcp://127.0.0.1:1", .true)
        #expect(settings.publisher.statusInterval == 60_000)
        guard case .mqtt(let destination) = try settings.destination() else { throw TestFailure("not MQTT") }
        #expect(destination.will == StateNote.lost("swiftvision"))
        settings.statsInterval = .second
        #expect(settings.publisher.statusInterval == 1000)
        (settings.statsInterval, settings.discovery) = (.zero, .remove)
        #expect(settings.publisher.statusInterval == 0)
    }

    // MARK: - Names

    private func tracker(showsNames: Bool) throws -> DeviceTracker {
        let device = try HomeAssistantDevice(
            prefix: "homeassistant", topic: "cam1", name: "cam1", zones: ["door"], labels: ["face", "Ada"], version: "1"
        )
        return try #require(DeviceTracker(HomeAssistant(device, .announce), showsNames: showsNames))
    }

    @Test("Names of persons are in the state only with ha-names=true", arguments: [false, true])
    func names(_ showsNames: Bool) throws {
        var tracker = try tracker(showsNames: showsNames)
        let face = Detection(
            type: .face, id: 1, box: Rectangle(x: 0, y: 0, width: 8, height: 8),
            classifications: [Classification(name: "person", label: "Ada")])
        let zones = try zones(
            "svdetections, events=(structure)<[e, event=(string)enter, zone=(string)door, label=(string)face, "
                + "name=(string)Ada]>;")
        let update = tracker.update([face], zones)
        let state = String(decoding: try #require(update), as: UTF8.self)
        // A named face is still a face.
        #expect(state.contains("\"face\":1") && state.contains("\"Ada\":\(showsNames ? 1 : 0)"))
        #expect(tracker.hiddenLabel == (showsNames ? nil : "Ada"))
        #expect(state.contains("\"text\":\"enter door\(showsNames ? " Ada" : "")\""), "\(state)")
    }

    /// Ends the stream and stops the pipeline. Returns all warnings.
    /// - Parameter ends: false to stop the pipeline without the end of the stream.
    private func warningsAtTheEnd(of line: Pipeline, ends: Bool = true) throws -> [String] {
        var texts: [String] = []
        if ends {
            try line.end("in")
            while let message = line.bus.wait(GST_MESSAGE_WARNING, GST_MESSAGE_EOS),
                message.type == GST_MESSAGE_WARNING
            {
                texts.append(message.text)
            }
        }
        try line.reach(GST_STATE_READY)
        return texts + line.bus.pending(GST_MESSAGE_WARNING).map(\.text)
    }

    @Test("A hidden name in ha-labels causes one warning")
    func hiddenLabel() throws {
        let line = try line(
            "method=mqtt address=tcp://127.0.0.1:1 ha-discovery=true ha-labels=face,Ada flush-timeout=1000000")
        try line.play()
        for number in 0..<3 {
            let buffer = try Self.frame.buffer(at: UInt64(number) * 40_000_000)
            try buffer.addRegion("face", id: 1, [4, 8, 16, 12], parameter: "person, label=(string)Ada;")
            try line.push(buffer, into: "in")
        }
        let texts = try warningsAtTheEnd(of: line)
        #expect(texts.count { $0.contains("\"Ada\" in ha-labels stays off") } == 1, "\(texts)")
    }

    @Test("A removal that the broker has not answered causes one warning, with and without the end of the stream")
    func unanswered() throws {
        for ends in [false, true] {
            let line = try line(
                "method=mqtt address=tcp://127.0.0.1:1 ha-discovery=remove flush-timeout=1000000")
            try line.play()
            try line.push(Self.frame, into: "in", at: 0)
            let texts = try warningsAtTheEnd(of: line, ends: ends)
            #expect(texts.count { $0.contains("has not answered all messages for Home Assistant") } == 1, "\(texts)")
        }
    }

    // MARK: - Zones

    /// Returns the zones in metadata.
    private func zones(_ text: String) throws -> FrameZones {
        let fields = try #require(gst_structure_from_string(text, nil))
        defer { gst_structure_free(fields) }
        return FrameZones(StructureView(fields))
    }

    @Test("The state contains the zones and the last event in the metadata of the frame")
    func zones() throws {
        var tracker = try tracker(showsNames: false)
        let first = try zones(
            "svdetections, zones=(structure)<[zone, name=(string)door, count=(int)2], [zone, name=(string)gate, "
                + "count=(int)1]>, events=(structure)<[e, event=(string)leave, zone=(string)gate], [e, "
                + "event=(string)cross, zone=(string)line, direction=(string)forward, id=(int)7], [e, "
                + "event=(string)occupancy, zone=(string)door, count=(int)2]>;")
        var update = tracker.update([], first)
        let state = String(decoding: try #require(update), as: UTF8.self)
        #expect(
            state.contains("\"zones\":{\"door\":2}") && state.contains("\"text\":\"cross line forward\""), "\(state)")
        let same = try zones("svdetections, zones=(structure)<[zone, name=(string)door, count=(int)2]>;")
        update = tracker.update([], same)
        #expect(update == nil)
        update = tracker.update([], try zones("svdetections;"))
        let last = String(decoding: try #require(update), as: UTF8.self)
        #expect(last.contains("\"zones\":{\"door\":0}") && last.contains("cross line forward"))
    }

    @Test("A repeated frame does not repeat its events")
    func repeatedEvents() throws {
        var tracker = try tracker(showsNames: false)
        func zones(_ number: Int) throws -> FrameZones {
            try self.zones(
                "svdetections, events=(structure)<[e, event=(string)enter, zone=(string)door, number=(guint64)\(number)]>;"
            )
        }
        var update = tracker.update([], try zones(1)) { "10:00" }
        #expect(update != nil)
        // The state contains the time of the event, so a repeated event would be a change.
        update = tracker.update([], try zones(1)) { "10:01" }
        #expect(update == nil)
        update = tracker.update([], try zones(2)) { "10:01" }
        #expect(update != nil)
    }

    @Test("Malformed metadata of zones is ignored")
    func malformedZones() throws {
        let zones = try zones(
            "svdetections, zones=(structure)<[zone, name=(int)1, count=(int)2], [zone, name=(string)a, "
                + "count=(string)b], [zone, name=(string)c, count=(int)-3]>, events=(string)none;")
        #expect(zones.counts == [ZoneCount(name: "c", count: -3)] && zones.events.isEmpty)
        var tracker = try tracker(showsNames: false)
        let update = tracker.update([], zones)
        #expect(update == nil)
    }
}
