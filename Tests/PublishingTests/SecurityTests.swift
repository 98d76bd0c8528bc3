// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
@testable import Publishing
import TestSupport
import Testing

/// Tests of certificates that are refused, and of the messages for users.
@Suite("Certificates of brokers", .serialized, .enabled(if: Mosquitto.missing == nil, "\(Mosquitto.missing ?? "")"))
struct SecurityTests {
    enum Fault: CaseIterable, Sendable {
        case unknownAuthority, wrongHost, expired

        var words: String {
            switch self {
            case .unknownAuthority: "unknown authority"
            case .wrongHost: "another host name"
            case .expired: "has expired"
            }
        }

        /// Returns the certificate of the server and the authority that the client trusts.
        func files(_ certificates: Certificates) throws -> (certificate: String, authority: String) {
            switch self {
            case .unknownAuthority:
                (try certificates.issue("localhost"), try certificates.makeAuthority("other"))
            case .wrongHost: (try certificates.issue("elsewhere"), certificates.authority)
            case .expired: (try certificates.issue("localhost", expired: true), certificates.authority)
            }
        }
    }

    private let folder: TemporaryFolder
    private let events = Events()

    init() throws { folder = try TemporaryFolder() }

    private func broker(_ certificates: Certificates, _ certificate: String) throws -> Mosquitto {
        try Mosquitto(
            folder,
            [
                "allow_anonymous true", "user root", "certfile \(certificate)", "keyfile \(certificates.key)",
            ])
    }

    private func publisher(_ port: Int, authority: String) throws -> Publisher {
        let settings = MQTTSettings(
            address: try BrokerAddress("ssl://localhost:\(port)", usesTLS: false), topic: "t", statusTopic: "t/stats",
            clientID: "publisher", credentials: Credentials(authorityFile: authority))
        let events = events
        return try Publisher(to: .mqtt(settings), quick()) { events.add($0) }
    }

    @Test("A broker with a certificate of the given authority gets the messages")
    func good() throws {
        let certificates = try Certificates(folder)
        let broker = try broker(certificates, certificates.issue("localhost"))
        let publisher = try publisher(broker.port, authority: certificates.authority)
        #expect(publisher.publish(message(1)))
        #expect(publisher.drain(until: patience()))
        _ = publisher.stop()
        #expect(events.count(.connected) == 1 && events.losses.isEmpty && publisher.counts.acknowledged == 1)
    }

    @Test("An MQTT broker with a wrong certificate gets nothing, and the reason is named", arguments: Fault.allCases)
    func faulty(_ fault: Fault) throws {
        let certificates = try Certificates(folder)
        let files = try fault.files(certificates)
        let broker = try broker(certificates, files.certificate)
        let publisher = try publisher(broker.port, authority: files.authority)
        #expect(publisher.publish(message(1)))
        #expect(eventually { !events.losses.isEmpty })
        #expect(events.losses[0].contains("TLS: ") && events.losses[0].contains(fault.words), "\(events.losses)")
        #expect(publisher.stop().left == 1)
        #expect(publisher.counts.acknowledged == 0 && publisher.counts.connections == 0)
        #expect(events.outages.count == 1)
    }

    @Test(
        "A Kafka broker with a wrong certificate gets nothing, and the reason is named",
        .enabled(if: MockKafka.missing == nil, "\(MockKafka.missing ?? "")"), arguments: Fault.allCases)
    func faultyKafka(_ fault: Fault) throws {
        let certificates = try Certificates(folder)
        let files = try fault.files(certificates)
        let server = try certificates.serve(files.certificate)
        let settings = KafkaSettings(
            address: try KafkaAddress("ssl://localhost:\(server.port)"), topic: "t", statusTopic: "t-stats", key: "k",
            clientID: "publisher",
            credentials: Credentials(authorityFile: files.authority), reconnectInterval: 20,
            maximumReconnectInterval: 50)
        let events = events
        let publisher = try Publisher(to: .kafka(settings), quick()) { events.add($0) }
        #expect(publisher.publish(message(1)))
        #expect(eventually { events.losses.contains { $0.contains(fault.words) } }, "\(events.losses)")
        #expect(publisher.stop().left == 1)
        #expect(publisher.counts.acknowledged == 0)
        #expect(events.outages.count == 1)
        withExtendedLifetime(server) {}
    }

    @Test("A broker without TLS is not taken for one with it, and a file that is missing is an error at the start")
    func plain() throws {
        let broker = try Mosquitto(folder)
        let certificates = try Certificates(folder)
        let publisher = try publisher(broker.port, authority: certificates.authority)
        #expect(publisher.publish(message(1)))
        #expect(eventually { !events.losses.isEmpty })
        #expect(publisher.stop().left == 1)
        #expect(throws: LinkFailure.self) { try self.publisher(broker.port, authority: folder.file("none")) }
    }
}
