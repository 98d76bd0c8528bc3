// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws pipelines/foreground.png, the default image of the pipelines that blend an image: a sunset over a
// bay, with a city, a bridge and a flock of birds. The coloured sky suits `mode=multiply`. With `mode=screen`,
// the black shapes are transparent. The clear edges suit `mode=hud`.
//
// The output is always the same. To draw the image again, in the repository's folder:
//
//   swift -O pipelines/draw-foreground.swift \
//     | gst-launch-1.0 -q fdsrc blocksize=1555200 ! rawvideoparse format=rgb width=960 height=540 \
//         ! pngenc compression-level=9 snapshot=true ! filesink location=pipelines/foreground.png

import Glibc

let width = 960
let height = 540
let horizon = 432.0

// MARK: - Colours

struct Colour {
    var red, green, blue: Double

    init(_ hex: Int) {
        red = Double(hex >> 16 & 255)
        green = Double(hex >> 8 & 255)
        blue = Double(hex & 255)
    }

    /// This colour with `amount` (0…1) of `other` over it.
    func mixed(with other: Colour, _ amount: Double) -> Colour {
        let amount = min(max(amount, 0), 1)
        var result = self
        result.red += (other.red - red) * amount
        result.green += (other.green - green) * amount
        result.blue += (other.blue - blue) * amount
        return result
    }
}

let skyStops: [(at: Double, colour: Colour)] = [
    (0.00, Colour(0x23_2A_66)), (0.30, Colour(0x6B_46_98)), (0.58, Colour(0xD8_61_8C)),
    (0.80, Colour(0xFF_9E_68)), (1.00, Colour(0xFF_D7_8A)),
]
let sunColour = Colour(0xFF_F6_D8)
let farHills = Colour(0x8A_4F_86)
let nearHills = Colour(0x4C_2F_66)
let silhouette = Colour(0x0C_0A_18)
let lamp = Colour(0xFF_D9_7A)

// MARK: - Shapes

/// A number in 0..<1 that depends on `a` and `b` alone.
func hash(_ a: Int, _ b: Int = 0) -> Double {
    var value = UInt64(bitPattern: Int64(a &* 73_856_093 ^ b &* 19_349_663 &+ 0x5EED))
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return Double((value ^ value >> 31) >> 11) / Double(1 << 53)
}

func distance(_ x: Double, _ y: Double, from a: (Double, Double), to b: (Double, Double)) -> Double {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1)
    let along = min(max(((x - a.0) * dx + (y - a.1) * dy) / (dx * dx + dy * dy), 0), 1)
    return hypot(x - a.0 - along * dx, y - a.1 - along * dy)
}

let sun = (x: 640.0, y: 288.0, radius: 112.0)

func sky(_ x: Double, _ y: Double) -> Colour {
    let at = y / horizon
    let upper = skyStops.firstIndex { at <= $0.at } ?? skyStops.count - 1
    let lower = max(upper - 1, 0)
    let span = max(skyStops[upper].at - skyStops[lower].at, 1e-9)
    var colour = skyStops[lower].colour.mixed(with: skyStops[upper].colour, (at - skyStops[lower].at) / span)

    let away = hypot(x - sun.x, y - sun.y)
    colour = colour.mixed(with: Colour(0xFF_C9_82), 0.75 * exp(-(away - sun.radius) / 95))
    if away < sun.radius { colour = sunColour.mixed(with: Colour(0xFF_D0_6E), (y - sun.y) / sun.radius) }

    for (cloudX, cloudY, length, thickness) in clouds {
        let (dx, dy) = ((x - cloudX) / length, (y - cloudY) / thickness)
        let inside = 1 - dx * dx - dy * dy * (dy > 0 ? 2.5 : 1)
        if inside > 0 { colour = colour.mixed(with: Colour(0x5A_3B_80), min(inside * 2.2, 0.85)) }
    }
    return colour
}

let clouds: [(Double, Double, Double, Double)] = [
    (560, 236, 190, 8), (690, 262, 120, 6), (760, 322, 170, 7), (560, 340, 100, 5),
    (180, 92, 210, 10), (300, 112, 130, 7), (860, 86, 140, 8), (130, 200, 110, 6),
]

func starlight(_ x: Double, _ y: Double) -> Double {
    let (column, row) = (Int(x / 32), Int(y / 32))
    guard y < 190, hash(column, row) < 0.35 else { return 0 }
    let starX = (Double(column) + 0.2 + 0.6 * hash(column, row + 999)) * 32
    let starY = (Double(row) + 0.2 + 0.6 * hash(column + 999, row)) * 32
    let size = 0.8 + 1.2 * hash(column + 77, row + 77)
    return hypot(x - starX, y - starY) < size ? 1 - y / 240 : 0
}

func hills(_ x: Double, base: Double, rise: Double, seed: Double) -> Double {
    base - rise * (0.5 + 0.28 * sin(x / 97 + seed) + 0.15 * sin(x / 41 + 2 * seed) + 0.07 * sin(x / 17 + 3 * seed))
}

/// The city on the left. Returns nil outside of the buildings, and true if the point is in a lit window. Nearer
/// buildings come first.
func city(_ x: Double, _ y: Double) -> Bool? {
    guard x < 428, y <= horizon else { return nil }
    for building in (0..<15).reversed() {
        let left = Double(building) * 29 - 8 + 8 * hash(building, 1)
        let breadth = 26 + 16 * hash(building, 2)
        let fading = building > 11 ? 0.55 : 1.0
        let top = horizon - fading * (70 + 165 * hash(building, 3) * (building % 3 == 0 ? 1 : 0.7))
        guard x >= left, x < left + breadth else { continue }
        let middle = left + breadth / 2
        if building % 4 == 0, abs(x - middle) < 1.3, y > top - 34 { return false }
        if building % 5 == 2, y > top - 16 + abs(x - middle) * 1.1 {
            return isWindow(x, y, of: building, left, breadth, top)
        }
        if y >= top { return isWindow(x, y, of: building, left, breadth, top) }
    }
    return nil
}

func isWindow(_ x: Double, _ y: Double, of building: Int, _ left: Double, _ breadth: Double, _ top: Double) -> Bool {
    let margin = 4.5
    guard x > left + margin, y > top + 7, y < horizon - 8 else { return false }
    let (column, row) = (Int((x - left - margin) / 7), Int((y - top - 7) / 10))
    guard Double(column) * 7 + 4 < breadth - 2 * margin + 1 else { return false }
    let (inColumn, inRow) = (x - left - margin - Double(column) * 7, y - top - 7 - Double(row) * 10)
    return inColumn < 4 && inRow < 6 && hash(building * 64 + column, row + 5) < 0.42
}

func bridge(_ x: Double, _ y: Double) -> Bool {
    let (deck, towers, crown) = (398.0, [540.0, 836.0], 236.0)
    guard x > 396 else { return false }
    if y >= deck, y < deck + 7 { return true }
    for tower in towers {
        let lean = 5 + (y - crown) / 45
        let leg = abs(abs(x - tower) - lean)
        if y > crown - 6, y < horizon + 4, leg < 3 { return true }
        if abs(x - tower) < lean, [250.0, 296, 342].contains(where: { abs(y - $0) < 3 }) { return true }
        if y >= horizon - 4, y < horizon + 8, abs(x - tower) < 19 { return true }
    }
    // Between the towers, the main cable hangs. Outside the towers, the cable runs straight down to the deck.
    let cable: Double
    if x < towers[0] {
        cable = crown + (deck - crown) * (towers[0] - x) / 144
    } else if x > towers[1] {
        cable = crown + (deck - crown) * (x - towers[1]) / 144
    } else {
        let across = (x - (towers[0] + towers[1]) / 2) / ((towers[1] - towers[0]) / 2)
        cable = deck - 12 - (deck - 12 - crown) * across * across
    }
    if abs(y - cable) < 1.8 + abs(x - 688) / 150 { return true }
    return y > cable && y < deck && abs(x - (x / 18.5).rounded() * 18.5) < 0.75
}

func bird(_ x: Double, _ y: Double) -> Bool {
    for number in 0..<13 {
        let flank = Double((number + 1) / 2) * (number % 2 == 0 ? 1 : -0.8)
        let (birdX, birdY) = (430 + abs(flank) * 31 + 9 * hash(number, 8), 128 + flank * 15 + 9 * hash(number, 9))
        let span = 12 + 6 * hash(number, 10)
        let lift = span * (0.2 + 0.5 * hash(number, 11))
        guard abs(x - birdX) <= span, abs(y - birdY) < span * 1.2 else { continue }
        let out = abs(x - birdX) / span
        let wing = birdY - lift * sin(out * 2.2) * 0.9
        if abs(y - wing) < 2.6 * (1 - out) + 0.5 { return true }
    }
    return false
}

func water(_ x: Double, _ y: Double) -> Colour {
    let depth = (y - horizon) / (Double(height) - horizon)
    let ripple = sin(y * 0.9 + 9 * sin(x / 83)) + sin(x / 23 + y * 0.35)
    let mirrored = sky(x + ripple * 6 * depth, max(horizon - (y - horizon) * 1.5, 0))
    var colour = mirrored.mixed(with: Colour(0x22_1C_4C), 0.42 + 0.3 * depth)
    let path = 1 - abs(x - sun.x) / (46 + 120 * depth)
    let streak = sin(y * 0.75 + 3 * sin(x / 61)) + 0.6 * sin(x / 13 + y * 1.7)
    if path > 0, streak > 0.35 - path * 0.9 { colour = colour.mixed(with: Colour(0xFF_DC_9A), 0.85 * min(path * 2, 1)) }
    return colour
}

func boat(_ x: Double, _ y: Double) -> Bool {
    let (x, y) = (x - 318, y - 486)
    if y >= 0, y < 9, abs(x) < 34 - y { return true }
    if abs(x) < 1.2, y < 0, y > -62 { return true }
    return y < -6 && y > -58 && (x > 2 ? x < (58 + y) * 0.5 : x < -2 && x > -(56 + y) * 0.36)
}

func scene(_ x: Double, _ y: Double) -> Colour {
    if bird(x, y) || bridge(x, y) || boat(x, y) { return silhouette }
    if let lit = city(x, y) { return lit ? lamp : silhouette }
    if y >= horizon { return water(x, y) }
    if y > hills(x, base: horizon, rise: 62, seed: 4.1) { return nearHills }
    if y > hills(x, base: horizon - 10, rise: 128, seed: 1.3) { return farHills }
    return sky(x, y).mixed(with: Colour(0xFF_FF_FF), starlight(x, y))
}

// MARK: - The image: each pixel is the mean of nine points

var pixels: [UInt8] = []
pixels.reserveCapacity(width * height * 3)
for row in 0..<height {
    for column in 0..<width {
        var sum = Colour(0)
        for point in 0..<9 {
            let x = Double(column) + (Double(point % 3) + 0.5) / 3
            let y = Double(row) + (Double(point / 3) + 0.5) / 3
            let colour = scene(x, y)
            sum.red += colour.red
            sum.green += colour.green
            sum.blue += colour.blue
        }
        // Even numbers make the file a quarter smaller. The difference is invisible.
        pixels += [sum.red, sum.green, sum.blue].map { UInt8(min(max($0 / 18, 0), 127).rounded()) * 2 }
    }
}
pixels.withUnsafeBytes { bytes in
    _ = fwrite(bytes.baseAddress, 1, bytes.count, stdout)
}
