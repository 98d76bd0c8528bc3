// SPDX-License-Identifier: LGPL-2.1-or-later

/// Settings for messages to an MQTT broker.
package struct MQTTSettings: Sendable {
    package var address: BrokerAddress
    package var topic: String
    package var statusTopic: String
    package var clientID: String
    /// The QoS level: 0 = at most once, 1 = at least once, 2 = exactly once.
    package var quality: Int32
    package var retains: Bool
    package var credentials: Credentials
    /// The message that the broker publishes if the connection is lost; nil for no message.
    package var will: [UInt8]?
    /// The device in Home Assistant to announce or to remove; nil to do nothing.
    package var homeAssistant: HomeAssistant?

    package init(
        address: BrokerAddress, topic: String, statusTopic: String, clientID: String, quality: Int32 = 1,
        retains: Bool = false, credentials: Credentials = Credentials(), will: [UInt8]? = nil
    ) {
        (self.address, self.topic, self.statusTopic, self.clientID) = (address, topic, statusTopic, clientID)
        (self.quality, self.retains, self.credentials, self.will) = (quality, retains, credentials, will)
    }
}
