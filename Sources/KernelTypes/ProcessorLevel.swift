/// A set of instructions for which the kernels are compiled: the psABI's microarchitecture levels of x86-64, by the
/// names that users see.
package enum ProcessorLevel: String, Sendable {
    case baseline
    case v3 = "x86-64-v3"
    case v4 = "x86-64-v4"
}
