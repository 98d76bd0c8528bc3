// SPDX-License-Identifier: LGPL-2.1-or-later

/// The settings of an element that saves snapshots of its output.
package protocol SnapshotSettings: ElementSettings {
    /// The path or pattern for the files of snapshots, as in `NumberedFiles`; nil if the element saves no snapshots.
    var snapshotLocation: String? { get set }
    /// False if the element ignores keys.
    var keys: Bool { get }
    /// False if the element posts no messages.
    var postsMessages: Bool { get }
}

extension SnapshotSettings {
    package var keys: Bool { true }
    package var postsMessages: Bool { true }
}

/// An element that saves snapshots of its output, by the action `snapshot` or by a key. ElementKit writes the files.
///
/// The element must include `.snapshotLocation` in its properties. If the element defines `actions`, this list must
/// include `.snapshot`.
package protocol SnapshotElement: Element where Settings: SnapshotSettings {
    var host: Host<Settings> { get }
    /// True if the element uses the key `s` for something else. The key `S` always saves a snapshot.
    var hasOtherUseOfS: Bool { get }
    /// The value of the field `event` in messages about snapshots.
    static var snapshotEvent: String { get }
}

extension SnapshotElement {
    package var hasOtherUseOfS: Bool { false }
    package static var snapshotEvent: String { "snapshot" }
    package static var actions: [Action<Self>] { [.snapshot] }

    /// Requests a snapshot after a key press in the video window.
    /// - Returns: true if the element uses the key. Elements upstream must then ignore the key, so that one key press
    ///   saves one file.
    func saves(_ key: String) -> Bool {
        let settings = host.settings
        guard settings.keys, key == "s" || key == "S" else { return false }
        guard key == "S" || !hasOtherUseOfS else { return true }
        guard let location = settings.snapshotLocation else { return false }
        host.snapshots.request(SnapshotRequest(.next(in: location), isReported: true), host)
        return true
    }
}

extension Action where E: SnapshotElement {
    /// The action `snapshot`.
    package static var snapshot: Action<E> {
        Action(
            "snapshot",
            "Write the next output frame to the PNG file at the path in snapshot-location. Returns false if "
                + "snapshot-location is none, or if eight snapshots are already waiting"
        ) { (element: E) -> Bool in
            guard let location = element.host.settings.snapshotLocation else { return false }
            return element.host.snapshots.request(SnapshotRequest(.next(in: location)), element.host)
        }
    }
}

extension Property where Settings: SnapshotSettings {
    /// The property `snapshot-location`.
    package static var snapshotLocation: Property {
        Property(
            "snapshot-location", \.snapshotLocation,
            "PNG file for snapshots of the output (%d or %05d = first unused number, none = no snapshots). The key s "
                + "or S saves a snapshot")
    }
}
