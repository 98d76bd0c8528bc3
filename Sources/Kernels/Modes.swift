// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// A row of pixels that can be blended. The compiler specialises `run` for each blend mode.
protocol ModeRow {
    func run<Mode: SeparableMode>(_ mode: Mode.Type)
    func run<Mode: QuotientMode>(_ mode: Mode.Type)
    func run<Mode: NonSeparableMode>(_ mode: Mode.Type)
}

/// Applies a blend mode to a row. This is the only function that assigns formulas to modes. If the row does not support
/// the mode's type (separable or not), the row does not change.
@inline(__always)
func run<Row: ModeRow>(_ mode: BlendMode, over row: Row) {
    switch mode {
    case .none: break
    case .average: row.run(Average.self)
    case .multiply: row.run(Multiply.self)
    case .screen, .hud: row.run(Screen.self)
    case .normal: row.run(Normal.self)
    case .darken: row.run(Darken.self)
    case .lighten: row.run(Lighten.self)
    case .colorDodge: row.run(ColorDodge.self)
    case .colorBurn: row.run(ColorBurn.self)
    case .hardLight: row.run(HardLight.self)
    case .softLight: row.run(SoftLight.self)
    case .overlay: row.run(Overlay.self)
    case .difference: row.run(Difference.self)
    case .exclusion: row.run(Exclusion.self)
    case .hue: row.run(Hue.self)
    case .saturation: row.run(Saturation.self)
    case .color: row.run(Color.self)
    case .luminosity: row.run(Luminosity.self)
    case .add: row.run(Add.self)
    case .subtract: row.run(Subtract.self)
    case .divide: row.run(Divide.self)
    case .grainExtract: row.run(GrainExtract.self)
    case .grainMerge: row.run(GrainMerge.self)
    case .value: row.run(Value.self)
    case .linearBurn: row.run(LinearBurn.self)
    case .linearLight: row.run(LinearLight.self)
    case .vividLight: row.run(VividLight.self)
    case .pinLight: row.run(PinLight.self)
    case .hardMix: row.run(HardMix.self)
    case .darkerColor: row.run(DarkerColor.self)
    case .lighterColor: row.run(LighterColor.self)
    case .negation: row.run(Negation.self)
    case .reflect: row.run(Reflect.self)
    case .glow: row.run(Glow.self)
    }
}
