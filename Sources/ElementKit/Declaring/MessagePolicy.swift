// SPDX-License-Identifier: LGPL-2.1-or-later
/// Selects when an element posts messages about its detections or actions.
package enum MessagePolicy: Int32, PropertyEnum {
    case none
    case onChange

    package static let typeName = "GstSvMessagePolicy"

    package static let members: [(value: Self, blurb: String)] = [
        (.none, "Never"), (.onChange, "At each event, such as a captured frame or a transition"),
    ]
}
