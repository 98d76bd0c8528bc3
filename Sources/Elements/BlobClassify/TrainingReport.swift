// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Files
import Imaging
import Vision

/// A web page about a training set. For each image, the page shows the object's outline, distances to other images, the
/// result of the test, and advice.
struct TrainingReport {
    let reviews: [SampleReview]
    let labels: [String]
    /// A blob is identified only if its distance from the images of the label is at most this value (see
    /// `ClassifierSettings`).
    let limit: Double

    /// Comment at the beginning of each report. If an existing file does not begin with this comment, `write` does not
    /// replace the file.
    private static let mark = "<!-- Report of svblobclassify about a training set -->\n"
    /// Maximum area of an image on the page, in pixels.
    private static let imageArea = 30_000.0
    private static let outlineColor: Color = 0xFFFF_00FF

    static func path(in folder: String) -> String { "\(folder)/training-report.html" }

    /// Writes the report. Creates the folder if necessary.
    /// - Throws: `ElementError` with the path if the file cannot be written, or if the existing file is not a report.
    func write(to folder: String) throws(ElementError) {
        let path = Self.path(in: folder)
        try Folder.make(folder)
        if fileExists(path), try !isReport(path) {
            throw ElementError(
                .write,
                "cannot replace \"\(path)\": the file is not a report of svblobclassify. Use another folder.")
        }
        do {
            try replaceFile(path, with: Array(try page(path).utf8), isPrivate: false)
        } catch let error as FileError {
            throw ElementError(error, writing: path)
        } catch {
            throw error as? ElementError ?? ElementError(.write, "cannot write \"\(path)\": \(error)")
        }
    }

    private func isReport(_ path: String) throws(ElementError) -> Bool {
        do {
            return try readFile(path, atMost: 1 << 28).starts(with: Self.mark.utf8)
        } catch {
            throw ElementError(error, writing: path)
        }
    }

    private func page(_ path: String) throws -> String {
        let working = reviews.count(where: \.works)
        var page = Self.mark
        page += """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <title>Training set</title>
            <style>
            body { font: 16px sans-serif; margin: 2em; }
            td:last-child { min-width: 18em; }
            td, th { padding: .4em 1em; text-align: left; border-bottom: 1px solid #ccc; }
            table { border-collapse: collapse; }
            img { max-width: 200px; max-height: 150px; display: block; }
            .bad { background: #fdd; }
            .doubtful { background: #ffd; }
            </style>
            <h1>Training set</h1>
            <p>\(working) of \(reviews.count) images work. Two images count as the same thing if the \
            distance between the images is at most \(limit.short). The coloured line is the outline that \
            svblobclassify compares.</p>
            <table>
            <tr><th>image</th><th>file</th><th>name</th><th>nearest image with the same name</th>\
            <th>nearest other name</th><th>result</th></tr>

            """
        for review in reviews { page += try row(review, path) }
        return page + "</table>\n</html>\n"
    }

    private func row(_ review: SampleReview, _ path: String) throws -> String {
        let name = labels.name(review.sample.label)
        let advice = advice(review)
        let style = !review.works ? " class=\"bad\"" : advice == nil ? "" : " class=\"doubtful\""
        let other = review.nearestOther.map { "\(labels.name($0.label).markup): \($0.distance.short)" } ?? "–"
        let image = base64(try image(review, path))
        return """
            <tr\(style)><td><img alt="\(name.markup)" src="data:image/png;base64,\(image)"></td>\
            <td>\((review.sample.name ?? "–").markup)</td><td>\(name.markup)</td>\
            <td>\(review.nearestSame?.short ?? "–")</td><td>\(other)</td><td>\((advice ?? "works").markup)</td></tr>

            """
    }

    /// Returns advice for an image that the classifier does not recognise, or that differs from the other images of its
    /// label; otherwise nil.
    private func advice(_ review: SampleReview) -> String? {
        guard review.showsObject else {
            return "shows no object, so the whole image counts as the object. Use an image with some background on "
                + "each side of the object."
        }
        if let advice = review.review.advice(labels.name(review.sample.label)) { return advice }
        guard let same = review.nearestSame, same > limit else { return nil }
        return "works, but differs from the other images with the same name. A difference is normal if the image shows "
            + "another side of the thing. If the outline is wrong, replace the image."
    }

    /// Returns the image with the outlines of the object, as a PNG file.
    private func image(_ review: SampleReview, _ path: String) throws -> [UInt8] {
        let picture = review.sample.picture, small = try picture.reduced(toArea: Self.imageArea)
        let scale = Double(small.width) / Double(max(1, picture.width))
        guard let copy = small.withImage({ Picture(copying: $0) }) else {
            throw Picture.outOfMemory(PixelSize(width: small.width, height: small.height))
        }
        return try copy.withImage { image in
            let frame = FrameImage(image)
            for outline in review.outlines {
                frame.outline(outline.map { Point($0.x * scale, $0.y * scale) }, lineWidth: 2, color: Self.outlineColor)
            }
            return try copy.png(for: path)
        } ?? []
    }
}

extension String {
    /// The text, with the special characters of HTML replaced by character references.
    fileprivate var markup: String {
        reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            default: text.append(character)
            }
        }
    }
}

extension Double {
    /// The number, rounded to two decimals, such as `0.41`; a dash if the number is not finite.
    fileprivate var short: String { isFinite ? "\((self * 100).rounded() / 100)" : "–" }
}
