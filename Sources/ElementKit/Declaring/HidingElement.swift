// SPDX-License-Identifier: LGPL-2.1-or-later

/// An element that can hide parts of the video, for privacy.
package protocol HidingElement: AnyObject, Sendable {
    /// `isOn`: true if the current settings hide anything. `activations`: the number of times that a setting that hides
    /// was set. If `activations` is unchanged, and nothing hides before and after, nothing has been hidden in the
    /// meantime. Any thread may read this property.
    var hiding: (isOn: Bool, activations: UInt32) { get }
}
