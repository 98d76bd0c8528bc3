// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
@testable import Publishing
import TestSupport
import Testing
import Waiting

@Suite(
    "Home Assistant's messages on a broker", .serialized,
    .enabled(if: Mosquitto.missing == nil, "\(Mosquitto.missing ?? "")"))
struct HomeAssistantBrokerTests {
    private let folder: TemporaryFolder
    private let events = Events()

    init() throws { folder = try TemporaryFolder() }

    private func settings(
        _ port: Int, _ action: HomeAssistant.Action = .announce, zones: [String] = ["door"], quality: Int32 = 1,
        will: [UInt8]? = nil
    ) throws -> MQTTSettings {
        var settings = MQTTSettings(
            address: try BrokerAddress("tcp://localhost:\(port)", usesTLS: false), topic: "cam1",
            statusTopic: "cam1/stats", clientID: "publisher", quality: quality, will: will)
        settings.homeAssistant = HomeAssistant(try testDevice(zones: zones), action)
        return settings
    }

    private func publisher(
        _ port: Int, _ action: HomeAssistant.Action = .announce, zones: [String] = ["door"], quality: Int32 = 1,
        will: [UInt8]? = nil, _ publisherSettings: PublisherSettings = quick()
    ) throws -> Publisher {
        let settings = try settings(port, action, zones: zones, quality: quality, will: will)
        let events = events
        return try Publisher(to: .mqtt(settings), publisherSettings) { events.add($0) }
    }

    /// Returns a new subscriber, which writes `RETAINED TOPIC PAYLOAD` for each message.
    private func subscriber(_ broker: Mosquitto, _ topic: String, _ name: String) throws -> Subscriber {
        try Subscriber(broker, folder, topic: topic, ["-i", name, "-F", "%r %t %p"])
    }

    /// Returns the retained messages of the broker, without messages of other topics.
    private func stored(_ broker: Mosquitto, _ name: String, count: Int) throws -> [RetainedMessage] {
        let subscriber = try subscriber(broker, "#", name)
        func messages() -> [RetainedMessage] {
            subscriber.text.split(separator: "\n").compactMap { line in
                let parts = line.split(separator: " ", maxSplits: 2)
                guard parts.count == 3, parts[0] == "1" else { return nil }
                return RetainedMessage(topic: String(parts[1]), payload: Array(parts[2].utf8))
            }
        }
        #expect(eventually { messages().count >= count })
        usleep(100_000)
        return messages()
    }

    private func publish(_ broker: Mosquitto, _ arguments: [String]) throws {
        let process = try Process.run(
            URL(fileURLWithPath: "/usr/bin/mosquitto_pub"), arguments: ["-p", "\(broker.port)"] + arguments)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("The broker stores the announcement and the state", arguments: [0, 1, 2] as [Int32])
    func stored(_ quality: Int32) throws {
        let broker = try Mosquitto(folder)
        let publisher = try publisher(broker.port, quality: quality)
        publisher.setDeviceState(Array("{\"count\":1}".utf8))
        #expect(publisher.waitForAnnouncement(until: patience()))
        let subscriber = try subscriber(broker, "cam1/ha", "b")
        publisher.setDeviceState(Array("{\"count\":2}".utf8))
        #expect(eventually { subscriber.text.contains("\"count\":2") })
        let expected = try testDevice().announcement
        let state = RetainedMessage(topic: "cam1/ha", payload: Array("{\"count\":2}".utf8))
        let found = try stored(broker, "a", count: expected.count + 1)
        #expect(Set(found) == Set(expected + [state]))
        // Normal messages still arrive.
        #expect(publisher.publish(message(1)) && publisher.drain(until: patience()))
        #expect(publisher.stop().left == 0)
        #expect(publisher.counts.refused == 0 && publisher.counts.messages == 1)
    }

    @Test("A removal deletes only the messages of this device")
    func removal() throws {
        let broker = try Mosquitto(folder)
        let first = try publisher(broker.port, zones: ["door", "gate"])
        first.setDeviceState(Array("{}".utf8))
        #expect(first.waitForAnnouncement(until: patience()))
        _ = first.stop()
        let foreign = "homeassistant/sensor/other/config"
        try publish(broker, ["-r", "-t", foreign, "-m", "{}"])
        // The list of zones does not contain `gate`, so the removal does not delete the zone.
        let second = try publisher(broker.port, .remove)
        #expect(second.waitForAnnouncement(until: patience()))
        _ = second.stop()
        let kept = "homeassistant/binary_sensor/swiftvision_cam1/zone_gate/config"
        #expect(Set(try stored(broker, "a", count: 2).map(\.topic)) == [foreign, kept])
        let third = try publisher(broker.port, .remove, zones: ["gate"])
        #expect(third.waitForAnnouncement(until: patience()))
        _ = third.stop()
        #expect(try stored(broker, "b", count: 1).map(\.topic) == [foreign])
    }

    @Test("After a restart of the broker, the publisher announces the device again")
    func reconnection() throws {
        let broker = try Mosquitto(folder)
        let publisher = try publisher(broker.port)
        publisher.setDeviceState(Array("{\"count\":1}".utf8))
        #expect(publisher.waitForAnnouncement(until: patience()))
        // The broker has no persistence, so it loses its retained messages.
        broker.kill()
        #expect(eventually { !events.losses.isEmpty })
        try broker.start()
        #expect(eventually { events.count(.connected) == 2 })
        let expected = try testDevice().announcement
        let found = try stored(broker, "a", count: expected.count + 1)
        #expect(Set(found.map(\.topic)) == Set(expected.map(\.topic) + ["cam1/ha"]))
        _ = publisher.stop()
    }

    @Test("When Home Assistant starts, the publisher announces the device again, at most once per second")
    func birth() throws {
        let broker = try Mosquitto(folder)
        let topic = "homeassistant/sensor/swiftvision_cam1/count/config"
        let subscriber = try subscriber(broker, topic, "a")
        func count() -> Int { subscriber.text.split(separator: "\n").count }
        // Home Assistant has stored this message before, so the publisher receives it as a retained message.
        try publish(broker, ["-r", "-t", "homeassistant/status", "-m", "online"])
        let publisher = try publisher(broker.port)
        #expect(publisher.waitForAnnouncement(until: patience()))
        #expect(eventually { count() == 1 })
        try publish(broker, ["-t", "homeassistant/status", "-m", "offline"])
        usleep(1_500_000)
        #expect(count() == 1)
        try publish(broker, ["-t", "homeassistant/status", "-m", "online"])
        #expect(eventually { count() == 2 })
        let start = Date()
        for _ in 0..<20 { try publish(broker, ["-t", "homeassistant/status", "-m", "online"]) }
        #expect(eventually { count() >= 3 })
        usleep(1_500_000)
        let seconds = Date().timeIntervalSince(start)
        #expect(count() <= 3 + Int(seconds), "\(count()) announcements in \(seconds) s")
        #expect(count() < 20)
        _ = publisher.stop()
    }

    @Test("The publisher sends at most four device states per second, and always the last one")
    func rate() throws {
        let broker = try Mosquitto(folder)
        let subscriber = try subscriber(broker, "cam1/ha", "a")
        let publisher = try publisher(broker.port)
        publisher.setDeviceState(Array("{\"count\":0}".utf8))
        #expect(publisher.waitForAnnouncement(until: patience()))
        let start = Date()
        for number in 1...200 {
            publisher.setDeviceState(Array("{\"count\":\(number)}".utf8))
            usleep(5000)
        }
        #expect(eventually { subscriber.text.contains("\"count\":200}") })
        let seconds = Date().timeIntervalSince(start)
        let count = subscriber.text.split(separator: "\n").count
        #expect(count >= 4 && count <= 3 + Int(seconds * 4), "\(count) states in \(seconds) s")
        _ = publisher.stop()
    }

    // MARK: - Lost connections

    @Test(
        "If a broker closes the connection on messages for Home Assistant, only these messages stop",
        arguments: [
            .publishing("homeassistant/"), .publishing("homeassistant/binary_sensor"), .publishing("cam1/ha"),
            .publishing("cam1/stats"), .subscribing,
        ] as [Relay.Forbidden], [0, 1, 2] as [Int32])
    func closing(_ forbidden: Relay.Forbidden, _ quality: Int32) throws {
        let broker = try Mosquitto(folder)
        let relay = try Relay(to: broker.port, forbidden: forbidden)
        defer { relay.stop() }
        var settings = quick()
        (settings.statusInterval, settings.isStatusForHomeAssistant) = (60_000, true)
        let publisher = try publisher(relay.port, quality: quality, settings)
        publisher.setDeviceState(Array("{\"count\":1}".utf8))
        for number in 0..<10 { publisher.publish(message(number)) }
        #expect(publisher.drain(until: patience()))
        #expect(publisher.waitForAnnouncement(until: patience()))
        #expect(publisher.publish(message(10)) && publisher.drain(until: patience()))
        let reasons = events.announcementRefusals
        #expect(reasons.count == 1 && reasons.allSatisfy { $0.contains("repeatedly closed") }, "\(reasons)")
        #expect(publisher.counts.refused == 0 && publisher.counts.acknowledged == (quality == 0 ? 0 : 11))
        #expect(publisher.counts.connections < 10, "\(publisher.counts.connections)")
        #expect(publisher.stop().left == 0)
    }

    @Test("If a broker closes the connection on a message, the announcement continues")
    func innocent() throws {
        let broker = try Mosquitto(folder, ["allow_anonymous true", "max_packet_size 2000"])
        let relay = try Relay(to: broker.port, .refuses)
        defer { relay.stop() }
        let publisher = try publisher(relay.port)
        publisher.setDeviceState(Array("{\"count\":0}".utf8))
        #expect(publisher.waitForAnnouncement(until: patience()))
        for number in 0..<10 {
            publisher.setDeviceState(Array("{\"count\":\(number)}".utf8))
            publisher.publish(message(number, padding: number == 4 ? 5000 : 0))
        }
        #expect(publisher.drain(until: patience()))
        #expect(publisher.counts.acknowledged == 9 && publisher.counts.refused == 1)
        #expect(events.announcementRefusals.isEmpty, "\(events.announcementRefusals)")
        #expect(publisher.stop().left == 0)
    }

    @Test("Reconnections do not add announcements to those that the broker has not answered")
    func pending() throws {
        let broker = try Mosquitto(folder)
        let relay = try Relay(to: broker.port)
        defer { relay.stop() }
        let link = try MQTTLink(settings(relay.port))
        let wakeup = try #require(Wakeup())
        func wait(for isWanted: (LinkEvent) -> Bool) -> Bool {
            eventually { link.wait(for: wakeup.file, milliseconds: 10).contains(where: isWanted) }
        }
        func isConnected(_ event: LinkEvent) -> Bool { if case .connected = event { true } else { false } }
        let count = try testDevice().announcement.count
        try link.connect()
        #expect(wait { isConnected($0) })
        relay.loseAnswers()
        try link.announce()
        #expect(link.announcements.ids.count == count)
        _ = link.wait(for: wakeup.file, milliseconds: 10)
        relay.cut()
        #expect(wait { if case .closed = $0 { true } else { false } })
        try link.connect()
        #expect(wait { isConnected($0) })
        try link.announce()
        #expect(link.announcements.ids.count <= count)
        // A restarted broker may have lost a part of the device, so the whole device is announced once more.
        #expect(wait { if case .announcementWanted = $0 { true } else { false } })
        try link.announce()
        #expect(link.announcements.ids.count == count)
        #expect(wait { if case .announced(nil) = $0 { true } else { false } })
        _ = link.disconnect(milliseconds: 100)
    }

    @Test("A broker that refuses the announcement is reported once, and messages still arrive")
    func forbidden() throws {
        let list = try folder.write(Array("topic readwrite cam1\ntopic readwrite t\n".utf8), "acl")
        let broker = try Mosquitto(folder, ["allow_anonymous true", "user root", "acl_file \(list)"])
        let publisher = try publisher(broker.port)
        #expect(publisher.waitForAnnouncement(until: patience()))
        #expect(publisher.publish(message(1)) && publisher.drain(until: patience()))
        #expect(publisher.stop().left == 0)
        let reasons = events.announcementRefusals
        #expect(reasons.count == 1 && reasons.allSatisfy { $0.contains("Not authorized (0x87)") }, "\(reasons)")
        #expect(publisher.counts.acknowledged == 1 && publisher.counts.refused == 0)
    }

    @Test(
        "A broker that does not store messages is reported, and messages still arrive",
        arguments: [nil, Array("lost".utf8)] as [[UInt8]?])
    func unretained(_ will: [UInt8]?) throws {
        let broker = try Mosquitto(folder, ["allow_anonymous true", "retain_available false"])
        let publisher = try publisher(broker.port, will: will)
        publisher.setDeviceState(Array("{}".utf8))
        #expect(publisher.waitForAnnouncement(until: patience()))
        #expect(publisher.publish(message(1)) && publisher.drain(until: patience()))
        #expect(publisher.stop().left == 0)
        let reasons = events.announcementRefusals
        #expect(reasons.count == 1 && reasons.allSatisfy { $0.contains("does not store retained") }, "\(reasons)")
        #expect(events.losses.isEmpty && publisher.counts.acknowledged == 1)
    }

    @Test("Without a broker, the wait for the announcement ends at the deadline")
    func absent() throws {
        let publisher = try publisher(try freePort())
        #expect(!publisher.waitForAnnouncement(until: .after(milliseconds: 100)))
        _ = publisher.stop()
    }
}
