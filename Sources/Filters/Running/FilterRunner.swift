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
    /// The colours of a YUV frame, for filters that look around.
    private let picture = OwnedImage(.bgrx)
    private var current: (key: Key, plan: FilterPlan)?

    /// Inputs that a plan is made from.
    private struct Key: Hashable {
        let filters: [FilterWithValues]
        let width: Int
        let height: Int
        let format: PixelFormat
        let isYUV: Bool
    }

    /// - Parameters:
    ///   - threads: how many work on a frame. The result does not depend on it.
    ///   - kernels: which kernels to use; the fastest that this processor can run unless a test wants others.
    package init(threads: Int = ThreadPool.usualThreads, kernels: any KernelSet = Processor.kernels) {
        self.kernels = kernels
        pool = ThreadPool(threads: threads)
        resources = FilterResources(pool: pool, kernels: kernels)
        memories = (0..<pool.threads).map { _ in WorkerMemory(kernels: kernels) }
    }

    /// The most pixels that a picture may have: 64 megapixels.
    package static let mostPixels = 1 << 26

    /// Returns whether pictures of this size are small enough.
    package static func takes(width: Int, height: Int) -> Bool {
        let (pixels, isHuge) = width.multipliedReportingOverflow(by: height)
        return !isHuge && pixels <= mostPixels && width < 1 << 20 && height < 1 << 20
    }

    /// Changes a frame in place. Alpha and padding bytes stay as they are; only where pixels go elsewhere, alpha goes
    /// with them. Grey frames are treated as pictures in colour of which only luma is seen. YUV frames are changed in the
    /// colours of their own matrix and range: chroma is that of the mean of the pixels that share it, and pixels whose
    /// colours do not change keep their samples. If filters of colours are all, no frame is converted as a whole.
    /// - Parameters:
    ///   - time: seconds since the chain was set, for what fades.
    /// - Returns: false, and nothing is done, for frames that are too large.
    @discardableResult
    package func run(_ chain: FilterChain, on frame: FrameImage, at time: Double = 0) -> Bool {
        guard !frame.isEmpty else { return true }
        guard Self.takes(width: frame.width, height: frame.height) else { return false }
        let plan = plan(chain, on: frame, at: time)
        if let image = frame.packed {
            let run = start(plan, image, width: image.width, height: image.height)
            for pass in plan.passes { pass.run(on: run) }
        } else if let pass = plan.stripPass {
            picture.resize(width: 0, height: 0)
            start(plan, picture.image, width: frame.width, height: frame.height).run(pass, on: frame)
        } else if !plan.passes.isEmpty {
            change(frame, plan) { run, _ in
                for pass in plan.passes { pass.run(on: run) }
            }
        }
        return true
    }

    /// Changes a packed picture in place.
    @discardableResult
    package func run(_ chain: FilterChain, on image: Image, at time: Double = 0) -> Bool {
        run(chain, on: FrameImage(image), at: time)
    }

    /// Draws on a YUV frame as on a picture of its colours. Samples of pixels that are not drawn on stay.
    package func draw(on frame: FrameImage, _ body: (FrameImage) throws -> Void) rethrows {
        try change(frame, FilterPlan()) { _, image in try body(FrameImage(image)) }
    }

    /// Changes a YUV frame as a picture of its colours.
    private func change(_ frame: FrameImage, _ plan: FilterPlan, _ body: (FrameRun, Image) throws -> Void) rethrows {
        picture.resize(width: frame.width, height: frame.height)
        // An impossible size.
        guard picture.image.bounds == frame.bounds else { return }
        let run = start(plan, picture.image, width: frame.width, height: frame.height)
        run.copyColors(of: frame, into: picture.image)
        try body(run, picture.image)
        run.copyColors(of: picture.image, into: frame)
    }

    private func start(_ plan: FilterPlan, _ image: Image, width: Int, height: Int) -> FrameRun {
        if surfaces.first.map({ $0.width != width || $0.height != height }) ?? false { surfaces = [] }
        while surfaces.count < plan.surfaces { surfaces.append(Surface(width: width, height: height)) }
        pyramid.prepare(width: width, height: height, count: plan.levels)
        return FrameRun(
            plan, image, width: width, height: height, surfaces: surfaces, pyramid: pyramid, strips: strips,
            kernels: kernels, pool: pool, memories: memories)
    }

    /// Describes what is done to such a frame: how many passes, and what each comes from.
    package func explain(_ chain: FilterChain, on frame: FrameImage, at time: Double = 0) -> String {
        plan(chain, on: frame, at: time).description
    }

    private func plan(_ chain: FilterChain, on frame: FrameImage, at time: Double) -> FilterPlan {
        let filters = chain.states(at: time)
        let key = Key(
            filters: filters, width: frame.width, height: frame.height,
            format: frame.format.packed ?? picture.image.format, isYUV: frame.format.isYUV)
        if let current, current.key == key { return current.plan }
        let plan = resources.plan {
            FilterCompiler.plan(
                filters, width: key.width, height: key.height, format: key.format, isYUV: key.isYUV,
                resources: resources)
        }
        current = (key, plan)
        return plan
    }
}
