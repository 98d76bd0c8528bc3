// SPDX-License-Identifier: LGPL-2.1-or-later
/// Ways to blend a foreground with a background, in the order in which users see the modes. The raw values are those of
/// the elements' `mode` property.
package enum BlendMode: Int32, CaseIterable, Sendable {
    case none, average, multiply, screen, hud, normal, darken, lighten
    case colorDodge, colorBurn, hardLight, softLight, overlay, difference, exclusion
    case hue, saturation, color, luminosity
    case add, subtract, divide, grainExtract, grainMerge, value
    case linearBurn, linearLight, vividLight, pinLight, hardMix, darkerColor, lighterColor, negation, reflect, glow
}
