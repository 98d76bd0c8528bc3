// SPDX-License-Identifier: LGPL-2.1-or-later
/// All rows.
struct Catalogue {
    let effort: Effort
    /// Folder for the files of this session.
    var folder = ""

    var rows: [Row] {
        let groups = [
            kernels, stockFilters, mixers, switches, yuvBlending, keying, filters, faceSpeed, faceAccuracy,
            faceDetectors,
            liveFaces,
            liveDetectors, markedFaces, namedPeople, blobs,
            liveBlobs, logos, liveLogos, scenes, events, webSinks, loading,
        ]
        return groups.flatMap { $0 }
    }
}
