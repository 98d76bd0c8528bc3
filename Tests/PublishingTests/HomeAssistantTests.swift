// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
@testable import Publishing
import TestSupport
import Testing

/// Returns the camera `cam1` as a device.
func testDevice(
    prefix: String = "homeassistant", topic: String = "cam1", zones: [String] = ["door"], labels: [String] = ["face"]
) throws -> HomeAssistantDevice {
    try HomeAssistantDevice(
        prefix: prefix, topic: topic, name: "Front \"door\"", zones: zones, labels: labels, version: "1.2")
}

@Suite("Messages for Home Assistant")
struct HomeAssistantTests {
    private func text(_ message: RetainedMessage) -> String { String(decoding: message.payload, as: UTF8.self) }

    private func table(_ message: RetainedMessage) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any])
    }

    /// The expected message was written by hand from the documentation.
    @Test("The binary sensor of a zone is announced as in the documentation of Home Assistant")
    func zone() throws {
        let message = try #require(try testDevice().announcement.first { $0.topic.contains("/zone_door/") })
        #expect(message.topic == "homeassistant/binary_sensor/swiftvision_cam1/zone_door/config")
        let expected = """
            {"name":"door","unique_id":"swiftvision_cam1_zone_door","state_topic":"cam1/ha",\
            "value_template":"{{ 'ON' if value_json.zones['door'] > 0 else 'OFF' }}",\
            "payload_on":"ON","payload_off":"OFF","device_class":"occupancy",\
            "availability_topic":"cam1/stats",\
            "availability_template":"{{ 'online' if value_json.state == 'playing' else 'offline' }}",\
            "payload_available":"online","payload_not_available":"offline",\
            "device":{"identifiers":["swiftvision_cam1"],"name":"Front \\"door\\"","manufacturer":"swiftvision",\
            "model":"svpublish","sw_version":"1.2"},"origin":{"name":"swiftvision","sw_version":"1.2"}}
            """
        let table = try #require(try JSONSerialization.jsonObject(with: Data(expected.utf8)) as? NSDictionary)
        #expect(try self.table(message) as NSDictionary == table)
    }

    @Test(
        "All messages follow the documentation, and all IDs differ, with names of any characters",
        arguments: ["cam1", "cams/front door", "żółć/猫", "a/b", "a_b", String(repeating: "x", count: 300)])
    func format(_ topic: String) throws {
        let names = [
            "door", "Door", "front door", "front_door", "front-door", "front/door", "'] }}{{ 1", "\"\\", "items", "7",
            "żółć", "猫", "+", "#", String(repeating: "d", count: 200), String(repeating: "d", count: 201),
        ]
        for prefix in ["homeassistant", "ha/test"] {
            let messages = try testDevice(prefix: prefix, topic: topic, zones: names, labels: names).announcement
            #expect(messages.count == 2 + 2 * names.count)
            for message in messages {
                #expect(
                    HomeAssistantFormat.error(topic: message.topic, payload: text(message), prefix: prefix) == nil)
            }
            #expect(Set(messages.map(\.topic)).count == messages.count)
            let ids = try messages.map { try table($0)["unique_id"] as? String }
            #expect(Set(ids).count == messages.count)
            let devices = try messages.map { try table($0)["device"] as? NSDictionary }
            #expect(Set(devices).count == 1)
        }
    }

    @Test("The checks of this test find wrong messages")
    func checks() throws {
        let good = try #require(try testDevice().announcement.first)
        func error(_ old: String, _ new: String) -> String? {
            HomeAssistantFormat.error(topic: good.topic, payload: text(good).replacing(old, with: new))
        }
        #expect(error("", "") == nil)
        for (old, new) in [
            ("state_topic", "topic"), ("\"cam1/ha\"", "\"cam1/#\""), ("\"swiftvision_cam1_count\"", "1"),
            ("unique_id", "object_id"), ("identifiers", "ids"), ("{", "["), ("state_class", "payload_on"),
        ] { #expect(error(old, new) != nil, "\(old)") }
        for topic in [
            "homeassistant/sensor/a b/c/config", "homeassistant/lamp/a/config", "homeassistant/sensor/config",
        ] {
            #expect(HomeAssistantFormat.error(topic: topic, payload: text(good)) != nil)
        }
    }

    @Test("Cameras with different topics have different IDs")
    func cameras() throws {
        let topics = ["a/b", "a_b", "a-b", "a b", "A_B"]
        let all = try topics.flatMap { try testDevice(topic: $0).announcement.map(\.topic) }
        #expect(Set(all).count == all.count)
    }

    @Test("The removal has an empty message for each announced topic and for the state, and no other message")
    func removal() throws {
        let device = try testDevice(zones: ["door", "gate"])
        let removal = device.removal
        #expect(removal.allSatisfy { $0.payload.isEmpty })
        #expect(Set(removal.map(\.topic)) == Set(device.announcement.map(\.topic) + ["cam1/ha"]))
        #expect(removal.count == 6)
    }

    @Test(
        "A prefix that cannot begin a topic is an error", arguments: ["", "a/#", "+", "/a", "a/", "a\0"])
    func wrongPrefix(_ prefix: String) throws {
        let error = #expect(throws: LinkFailure.self) { try testDevice(prefix: prefix) }
        #expect(error?.description.contains("ha-prefix") == true)
    }

    @Test("More zones than the limit are an error")
    func tooMany() throws {
        let zones = (0...HomeAssistantDevice.limit).map { "zone \($0)" }
        #expect(throws: LinkFailure.self) { try testDevice(zones: zones) }
        _ = try testDevice(zones: zones.dropLast())
    }

    // MARK: - The state

    /// Returns the values of all entities, keyed by their names.
    private func values(_ device: HomeAssistantDevice, _ state: [UInt8]) throws -> [String: String] {
        let state = String(decoding: state, as: UTF8.self)
        return try device.announcement.reduce(into: [:]) { values, message in
            let table = try table(message)
            let (name, template) = (table["name"] as? String ?? "", table["value_template"] as? String ?? "")
            values[name] = try HomeAssistantFormat.evaluate(template, state)
        }
    }

    @Test("The templates of all entities read the state")
    func state() throws {
        let device = try testDevice(zones: ["front door", "items"], labels: ["cat face"])
        var state = HomeAssistantState(device)
        // Home Assistant shows "None" as unknown.
        #expect(
            try values(device, state.message) == [
                "Objects": "0", "Last event": "None", "front door": "OFF", "items": "OFF", "cat face": "OFF",
            ])
        var update = state.update(
            count: 3, labels: ["cat face": 2, "face": 1], zones: ["items": 1, "gate": 4], events: [], at: { "T1" })
        let first = try #require(update)
        #expect(
            try values(device, first) == [
                "Objects": "3", "Last event": "cat face appeared", "front door": "OFF", "items": "ON", "cat face": "ON",
            ])
        // Labels and zones that are not listed do not reach the broker.
        #expect(!String(decoding: first, as: UTF8.self).contains("gate"))
        #expect(!String(decoding: first, as: UTF8.self).contains("\"face\""))
        update = state.update(
            count: 0, labels: [:], zones: ["front door": 1], events: ["leave items", "enter front door"], at: { "T2" })
        let second = try #require(update)
        #expect(
            try values(device, second) == [
                "Objects": "0", "Last event": "enter front door", "front door": "ON", "items": "OFF",
                "cat face": "OFF",
            ])
        #expect(String(decoding: second, as: UTF8.self).contains("\"time\":\"T2\""))
    }

    @Test("Only a change makes a new state, and a repeated event is a change")
    func changes() throws {
        var state = HomeAssistantState(try testDevice())
        func update(_ count: Int, _ events: [String] = [], _ time: String = "T") -> Bool {
            state.update(count: count, labels: [:], zones: [:], events: events, at: { time }) != nil
        }
        #expect(!update(0) && update(1) && !update(1) && update(1, ["enter door"], "T1"))
        #expect(!update(1) && update(1, ["enter door"], "T2") && update(0) && !update(0))
    }

    @Test("The text of an event has at most 255 characters")
    func longEvent() throws {
        let device = try testDevice()
        var state = HomeAssistantState(device)
        let long = String(repeating: "猫", count: 400)
        let update = state.update(count: 0, labels: [:], zones: [:], events: [long], at: { "T" })
        let message = try #require(update)
        #expect(try values(device, message)["Last event"] == String(repeating: "猫", count: 255))
    }
}
