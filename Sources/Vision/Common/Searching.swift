// SPDX-License-Identifier: LGPL-2.1-or-later
/// Ways of searching a whole frame of a stream when that is due.
package enum Searching: Sendable {
    /// Search in the calling thread, at once.
    case here
    /// Search in another thread, through the tracker's `dueSearch`; what is known is followed meanwhile, the rest comes
    /// with its `add`.
    case elsewhere
    /// No search for now: one elsewhere is still under way.
    case later
}
