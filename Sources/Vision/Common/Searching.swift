// SPDX-License-Identifier: LGPL-2.1-or-later
/// Selects how a tracker searches a frame, if a search is due.
package enum Searching: Sendable {
    /// The tracker searches in the calling thread before the call returns.
    case here
    /// The caller runs the tracker's `dueSearch` in another thread, and passes the result to the tracker's `add`. Until
    /// the result arrives, the tracker only follows known objects.
    case elsewhere
    /// The tracker does not search, because an earlier search in another thread is still running.
    case later
}
