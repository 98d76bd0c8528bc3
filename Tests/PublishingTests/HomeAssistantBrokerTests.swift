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

    private func publisher(
        _ port: Int, _ action: HomeAssistant.Action = .announce, zones: [String] = ["door"], quality: Int32 = 1,
        will: [UInt8]? = nil
    ) throws -> Publisher {
        var settings = MQTTSettings(
            address: try BrokerAddress("tcp://localhost:\(port)", usesTLS: false), topic: "cam1",
            statusTopic: "cam1/stats", clientID: "publisher", quality: quality, will: will)
        settings.homeAssistant = HomeAssistant(try testDevice(zones: zones), action)
        let events = events
        return try Publisher(to: .mqtt(settings), quick()) { events.add($0) }
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
        publisher.setDeviceState(Array("{\"count\":2}".utf8))
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
        let publisher = try publisher(broker.port)
        #expect(publisher.waitForAnnouncement(until: patience()))
        let topic = "homeassistant/sensor/swiftvision_cam1/count/config"
        let subscriber = try subscriber(broker, topic, "a")
        func count() -> Int { subscriber.text.split(separator: "\n").count }
        #expect(eventually { count() == 1 })
        // Another payload, and a retained message.
        try publish(broker, ["-t", "homeassistant/status", "-m", "offline"])
        usleep(1_500_000)
        #expect(count() == 1)
        try publish(broker, ["-t", "homeassistant/status", "-m", "online"])
        #expect(eventually { count() == 2 })
        for _ in 0..<20 { try publish(broker, ["-t", "homeassistant/status", "-m", "online"]) }
        #expect(eventually { count() == 3 })
        #expect(count() <= 4)
        _ = publisher.stop()
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
