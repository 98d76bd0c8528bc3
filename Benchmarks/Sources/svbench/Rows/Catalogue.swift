import FoundationEssentials

/// Conditions under which rows are measured.
struct Setting {
    let effort: Effort
    /// Folder for the files of this session.
    let folder: String

    /// Path of the carphone clip, the same as for the tests: `SWIFTVISION_DATA`, else `../shared/data` beside the
    /// repository.
    let clip: String
    let hasClip: Bool

    init(effort: Effort, folder: String = "") {
        self.effort = effort
        self.folder = folder
        let data = ProcessInfo.processInfo.environment["SWIFTVISION_DATA"] ?? "\(Machine.repository)/../shared/data"
        clip = "\(data)/clips/carphone.mp4"
        hasClip = FileManager.default.fileExists(atPath: clip)
    }
}

/// All rows.
enum Catalogue {
    static func rows(_ setting: Setting) -> [any Measurement] {
        let groups: [[any Measurement]] = [
            KernelMeasurement.all(setting), PairMeasurement.stockFilters(setting), PairMeasurement.mixers(setting),
            PairMeasurement.filters(setting), FaceSpeed.all(setting), FaceAccuracy.all(setting),
            LiveMeasurement.faces(setting), CostMeasurement.markedFaces(setting), NamedPeople.all(setting),
            CostMeasurement.blobs(setting), LiveMeasurement.blobs(setting), CostMeasurement.logos(setting),
            LiveMeasurement.logos(setting), LoadMeasurement.all(setting),
        ]
        return groups.flatMap { $0 }
    }
}
