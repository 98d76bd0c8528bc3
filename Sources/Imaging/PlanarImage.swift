// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// An image with separate red, green and blue planes: three grey images of the same size.
package struct PlanarImage {
    package let red: Image
    package let green: Image
    package let blue: Image

    /// Creates a view of a grey image that contains the red, green and blue plane one above the other.
    package init(stacked: Image) {
        let height = stacked.height / 3
        func part(_ index: Int) -> Image {
            stacked.cropped(to: Rectangle(y: index * height, width: stacked.width, height: height))
        }
        (red, green, blue) = (part(0), part(1), part(2))
    }

    /// The addresses of the red, green and blue bytes of a row.
    package struct Row {
        package let red: UnsafePointer<UInt8>
        package let green: UnsafePointer<UInt8>
        package let blue: UnsafePointer<UInt8>

        @inlinable package init(red: UnsafePointer<UInt8>, green: UnsafePointer<UInt8>, blue: UnsafePointer<UInt8>) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }
    }

    /// Returns the addresses of pixel `x` in row `y`. The pixel must be inside the image.
    @inlinable package func row(_ y: Int, from x: Int) -> Row {
        Row(
            red: UnsafePointer(red.row(y) + x), green: UnsafePointer(green.row(y) + x),
            blue: UnsafePointer(blue.row(y) + x))
    }

    package var bounds: Rectangle { red.bounds }

    /// Copies the colours of an image with four bytes per pixel. If the sizes differ, copies only the columns and rows
    /// that both images have.
    package func copyColors(from image: Image, kernels: any KernelSet = Processor.kernels) {
        guard image.format.bytesPerPixel == 4 else { return }
        let common = image.bounds.intersection(bounds)
        for (plane, byte) in [(red, image.format.red), (green, image.format.green), (blue, image.format.blue)] {
            for y in 0..<common.height {
                kernels.extractByte(at: byte, of: image.row(y), into: plane.row(y), count: common.width)
            }
        }
    }
}
