// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

/// Applies chains of filters to frames, one after another, and keeps what frames have in common. It belongs to one
/// thread, and shares the work with other threads of its own.
package final class FilterRunner {
    private let kernels: any KernelSet
    private let pool: ThreadPool
    private let resources: FilterResources
    private let memories: [WorkerMemory]
    private let strips = StripMemory()
    private let pyramid = Pyramid()
    private var surfaces: [Surface] = []
    private var current: (key: Key, plan: FilterPlan)?

    /// Inputs that a plan is made from.
    private struct Key: Hashable {
        let filters: [FilterWithValues]
        let width: Int
        let height: Int
        let format: PixelFormat
    }

    /// - Parameters:
    ///   - threads: how many work on a frame. The result does not depend on it.
    ///   - kernels: which kernels to use; the fastest that this processor can run unless a test wants others.
    package init(threads: Int = ThreadPool.usualThreads, kernels: any KernelSet = Processor.kernels) {
        self.kernels = kernels
        pool = ThreadPool(threads: threads)
        resources = FilterResources(pool: pool, kernels: kernels)
        memories = (0..<pool.threads).map { _ in WorkerMemory() }
    }

    /// The most pixels that a picture may have: 64 megapixels.
    package static let mostPixels = 1 << 26

    /// Returns whether pictures of this size are small enough.
    package static func takes(width: Int, height: Int) -> Bool {
        let (pixels, isHuge) = width.multipliedReportingOverflow(by: height)
        return !isHuge && pixels <= mostPixels && width < 1 << 20 && height < 1 << 20
    }

    /// Changes a picture in place. Alpha and padding bytes stay as they are; only where pixels go elsewhere, alpha goes
    /// with them. Grey pictures are treated as pictures in colour of which only luma is seen.
    /// - Parameters:
    ///   - time: seconds since the chain was set, for what fades.
    /// - Returns: false, and nothing is done, for pictures that are too large.
    @discardableResult
    package func run(_ chain: FilterChain, on image: Image, at time: Double = 0) -> Bool {
        guard !image.isEmpty else { return true }
        guard Self.takes(width: image.width, height: image.height) else { return false }
        let plan = plan(chain, on: image, at: time)
        if surfaces.first.map({ $0.width != image.width || $0.height != image.height }) ?? false { surfaces = [] }
        while surfaces.count < plan.surfaces { surfaces.append(Surface(width: image.width, height: image.height)) }
        pyramid.prepare(width: image.width, height: image.height, count: plan.levels)
        let frame = FrameRun(
            plan, image, surfaces: surfaces, pyramid: pyramid, strips: strips, kernels: kernels, pool: pool,
            memories: memories)
        for pass in plan.passes { pass.run(on: frame) }
        return true
    }

    /// Describes what is done to such a picture: how many passes, and what each comes from.
    package func explain(_ chain: FilterChain, on image: Image, at time: Double = 0) -> String {
        plan(chain, on: image, at: time).description
    }

    private func plan(_ chain: FilterChain, on image: Image, at time: Double) -> FilterPlan {
        let filters = chain.states(at: time)
        let key = Key(filters: filters, width: image.width, height: image.height, format: image.format)
        if let current, current.key == key { return current.plan }
        let plan = resources.plan {
            FilterCompiler.plan(
                filters, width: image.width, height: image.height, format: image.format, resources: resources)
        }
        current = (key, plan)
        return plan
    }
}
