// SPDX-License-Identifier: LGPL-2.1-or-later

/// An element that can hide parts of the video, for privacy.
package protocol HidingElement: AnyObject, Sendable {
    /// `isOn`: true if the current settings hide anything. `activations`: the number of times that a setting was set to
    /// a value that hides something. If `isOn` is false at two times, and `activations` is the same, nothing was hidden
    /// in between. Any thread may read this property.
    var hiding: (isOn: Bool, activations: UInt32) { get }
}
