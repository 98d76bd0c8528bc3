// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// An action signal. An application emits the signal to call an action of the element, and may get a result.
///
/// The body of the action runs on the thread that emits the signal. The body can use the element's shared data, but not
/// the state of the streaming thread.
package struct Action<E: Element>: Sendable {
    package let name: String
    package let blurb: String
    let arguments: [ActionArgument]
    let parameterTypes: [GType]
    let returnType: GType
    let invoke: @Sendable (E, UnsafePointer<GValue>, UnsafeMutablePointer<GValue>?) -> Void

    /// Creates an action without a result.
    /// - Parameters:
    ///   - name: the signal's name: words joined by hyphens.
    ///   - arguments: the declarations of the arguments, in order.
    ///   - body: a closure with the signal's argument types.
    package init<each Argument: SignalValue>(
        _ name: String, _ blurb: String, _ arguments: ActionArgument...,
        body: @escaping @Sendable (E, repeat each Argument) -> Void
    ) {
        self.init(name, blurb, arguments, types: Self.types((repeat each Argument).self), returns: sv_type_none) {
            element, arguments, _ in
            var index = 0
            if let values = Self.read(arguments, &index, (repeat each Argument).self) {
                body(element, repeat each values)
            }
        }
    }

    /// Creates an action with a result.
    package init<each Argument: SignalValue, Output: SignalValue>(
        _ name: String, _ blurb: String, _ arguments: ActionArgument...,
        body: @escaping @Sendable (E, repeat each Argument) -> Output
    ) {
        self.init(name, blurb, arguments, types: Self.types((repeat each Argument).self), returns: Output.valueType) {
            element, arguments, output in
            var index = 0
            if let values = Self.read(arguments, &index, (repeat each Argument).self) {
                let result = body(element, repeat each values)
                if let output { result.write(to: &output.pointee) }
            }
        }
    }

    private init(
        _ name: String, _ blurb: String, _ arguments: [ActionArgument], types: [GType], returns: GType,
        invoke: @escaping @Sendable (E, UnsafePointer<GValue>, UnsafeMutablePointer<GValue>?) -> Void
    ) {
        self.name = name
        self.blurb = blurb
        self.arguments = arguments
        parameterTypes = types
        returnType = returns
        self.invoke = invoke
    }

    private static func types<each Argument: SignalValue>(_: (repeat each Argument).Type) -> [GType] {
        var types: [GType] = []
        repeat types.append((each Argument).valueType)
        return types
    }

    /// Returns nil if an argument is missing, for example if a text is NULL. The action then does not run.
    private static func read<each Argument: SignalValue>(
        _ values: UnsafePointer<GValue>, _ index: inout Int, _: (repeat each Argument).Type
    ) -> (repeat each Argument)? {
        func next<A: SignalValue>(_: A.Type) throws -> A {
            defer { index += 1 }
            guard let value = A.read(values[index]) else { throw MissingArgument() }
            return value
        }
        return try? (repeat next((each Argument).self))
    }

    private struct MissingArgument: Error {}
}
