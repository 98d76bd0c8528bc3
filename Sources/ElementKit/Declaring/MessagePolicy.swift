// SPDX-License-Identifier: LGPL-2.1-or-later
/// Policy for messages about what an element sees or does.
package enum MessagePolicy: Int32, PropertyEnum {
    case none
    case onChange

    package static let typeName = "GstSvMessagePolicy"

    package static let members: [(value: Self, blurb: String)] = [
        (.none, "Never"), (.onChange, "When something changes"),
    ]
}
