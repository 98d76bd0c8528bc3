// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

/// Applies chains of filters to frames. Caches plans, tables and memory for the next frames. Only one thread at a time
/// may use a runner. The runner divides its work among the threads of its pool.
package final class FilterRunner {
    private let kernels: any KernelSet
    private let pool: ThreadPool
    private let resources: FilterResources
    private let memories: [WorkerMemory]
    private let strips = StripMemory()
    private let pyramid = Pyramid()
    private var surfaces: [Surface] = []
    /// An RGB copy of a YUV frame, for filters that cannot process the frame in strips.
    private let picture = OwnedImage(.bgrx)
    private var current: (key: Key, plan: FilterPlan)?

    /// All values from which a plan is compiled. If these values are the same as for the previous frame, the runner
    /// reuses the plan.
    private struct Key: Hashable {
        let filters: [FilterWithValues]
        let width: Int
        let height: Int
        let format: PixelFormat
        let isYUV: Bool
        let isAdjusted: Bool
    }

    /// - Parameters:
    ///   - threads: the number of threads. It does not affect the pixels of the result.
    ///   - kernels: the kernels to use. The default is the fastest set for this processor.
    package init(threads: Int = ThreadPool.usualThreads, kernels: any KernelSet = Processor.kernels) {
        self.kernels = kernels
        pool = ThreadPool(threads: threads)
        resources = FilterResources(pool: pool, kernels: kernels)
        memories = (0..<pool.threads).map { _ in WorkerMemory(kernels: kernels) }
    }

    /// Maximum number of pixels of an image (64 megapixels).
    package static let maxPixels = 1 << 26

    /// Returns true if images of this size are supported.
    package static func takes(width: Int, height: Int) -> Bool {
        let (pixels, isHuge) = width.multipliedReportingOverflow(by: height)
        return !isHuge && pixels <= maxPixels && width < 1 << 20 && height < 1 << 20
    }

    /// Applies a chain to a frame in place.
    ///
    /// - Filters that move pixels also move the alpha of these pixels. Other filters do not change alpha. Padding does
    ///   not change.
    /// - Grey frames are processed as colour images, and converted back to luma.
    /// - YUV frames are processed in RGB, according to their matrix and range. Each chroma sample is computed from the
    ///   mean colour of the pixels that share the sample. If the colour of a pixel does not change, the pixel keeps its
    ///   YUV samples.
    /// - If all filters only change colours, a YUV frame is processed in strips, without a conversion of the whole
    ///   frame.
    /// - Parameters:
    ///   - time: the number of nanoseconds since the chain was set. The values of fading parameters depend on it.
    ///   - isAdjusted: true if the caller changes parameters of the chain in quick succession. Distortions are then
    ///     faster, but less exact: the error of a position is below 0.1 pixel. This also applies while parameters fade.
    /// - Returns: false if the frame is too large. The frame is then unchanged.
    @discardableResult
    package func run(
        _ chain: FilterChain, on frame: FrameImage, at time: UInt64 = 0, isAdjusted: Bool = false
    ) -> Bool {
        guard !frame.isEmpty else { return true }
        guard Self.takes(width: frame.width, height: frame.height) else { return false }
        let plan = plan(chain, on: frame, at: time, isAdjusted: isAdjusted)
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

    /// Applies a chain to a packed image in place.
    @discardableResult
    package func run(
        _ chain: FilterChain, on image: Image, at time: UInt64 = 0, isAdjusted: Bool = false
    ) -> Bool {
        run(chain, on: FrameImage(image), at: time, isAdjusted: isAdjusted)
    }

    /// Copies a YUV frame to RGB, calls `body` to draw on the copy, and converts the changed pixels back. If a pixel
    /// does not change, its YUV samples keep their values.
    package func draw(on frame: FrameImage, _ body: (FrameImage) throws -> Void) rethrows {
        try change(frame, FilterPlan()) { _, image in try body(FrameImage(image)) }
    }

    /// Calls `body` to change an RGB copy of a YUV frame, and converts the changed pixels back.
    private func change(_ frame: FrameImage, _ plan: FilterPlan, _ body: (FrameRun, Image) throws -> Void) rethrows {
        picture.resize(width: frame.width, height: frame.height)
        // If the size is invalid, `resize` makes the image empty.
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

    /// Describes the plan for a frame: the number of passes, and the filters of each pass.
    package func explain(_ chain: FilterChain, on frame: FrameImage, at time: UInt64 = 0) -> String {
        plan(chain, on: frame, at: time).description
    }

    private func plan(
        _ chain: FilterChain, on frame: FrameImage, at time: UInt64, isAdjusted: Bool = false
    ) -> FilterPlan {
        let filters = chain.states(at: time)
        let key = Key(
            filters: filters, width: frame.width, height: frame.height,
            format: frame.format.packed ?? picture.image.format, isYUV: frame.format.isYUV, isAdjusted: isAdjusted)
        if let plan = current?.plan, current?.key == key {
            // Store the new key, although it is equal to the old key. The arrays of the next key may share memory with
            // the new key, and arrays that share memory are compared faster.
            current = (key, plan)
            return plan
        }
        let plan = resources.plan(isAdjusted: isAdjusted) {
            FilterCompiler.plan(
                filters, width: key.width, height: key.height, format: key.format, isYUV: key.isYUV,
                resources: resources)
        }
        current = (key, plan)
        return plan
    }
}
