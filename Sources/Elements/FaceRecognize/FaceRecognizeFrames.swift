// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging
import Synchronization
import Vision

/// Recognises the faces of a frame.
extension FaceRecognize {
    private struct View {
        /// The detection, with the track id that the detector has assigned.
        let track: Detection
        /// The detection, with the face id that `FaceIdentities` has assigned.
        var face: Detection
        var crop: CroppedFace?
        /// The vector that the network has computed in this frame; nil if there is none, or if the face is too small.
        var vector: FaceEmbedding?
        /// False if the edge of the frame cuts off a part of the face.
        var isComplete = true

        /// True if the confidence of the detection is sufficient.
        var isSure: Bool { track.confidence ?? 1 >= FaceIdentities.minConfidence }

        /// Returns true if no other face of the frame overlaps more than 10 % of this face, and at most 10 % of this
        /// face are outside the frame.
        func isClear(of views: [View]) -> Bool {
            isComplete
                && views.allSatisfy { other in
                    other.track.id == track.id || !other.isSure
                        || 10 * other.track.box.intersection(track.box).area <= track.box.area
                }
        }
    }

    private typealias Recognition = (vote: PersonVotes.Vote, confirmations: Int)

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        let (recognizer, method) = database.learned
        if state.recognizer !== recognizer {
            (state.recognizer, state.observations) = (recognizer, TrackObservations())
        }
        let countsStrangers = method.model.map { $0.digest == database.strangers.network } ?? false
        var views = state.faces.map { View(track: $0, face: state.identities.identified($0)) }
        if recognizer != nil || countsStrangers {
            for index in views.indices {
                views[index].crop = try crop(views[index], &state, frame)
                guard let alignment = views[index].crop?.alignment, views[index].track.id != state.wholeID else {
                    continue
                }
                views[index].isComplete = alignment.visibleFraction(in: frame.pixels.bounds) >= 0.9
            }
            if method.model != nil { try identify(&views, recognizer, method, &state, settings, frame) }
        }
        try collect(views, method, &state, frame)
        var named: [Detection] = []
        var recent: [Int32: RecentFaces.Face] = [:]
        for view in views {
            guard let crop = view.crop else { continue }
            var recognition: Recognition?
            if let recognizer {
                recognition =
                    method.model == nil
                    ? try compare(view.face, crop, recognizer, &state, settings)
                    : try state.observations.vote(
                        about: view.track, crop.sample, recognizer, settings, frame: state.frame)
            }
            if recognition?.vote.name != nil { state.identities.setNamed(view.face.id) }
            var stranger: Int?
            if countsStrangers, recognition?.vote.name == nil { stranger = self.stranger(view, views, &state) }
            let faces =
                method.model == nil
                ? [.sample(crop.sample)] : state.observations.vectors(of: view.track).map(KnownFace.embedding)
            recent[view.face.id] = RecentFaces.Face(faces: faces, name: recognition?.vote.name, stranger: stranger)
            guard let person = Classification(recognition, stranger, recognizer) else { continue }
            var result = view.face
            result.classifications = [person]
            named.append(result)
        }
        self.recent.withLock { [recent] in
            $0.update(recent, at: frame.time.elapsed, keeping: settings.returnTime)
        }
        frame.renumber(views.map { ($0.track, $0.face.id) })
        let attached = frame.attach(named)
        database.publish(largest: attached.lazy.compactMap(\.classifications.first).first { $0.labelID > 0 }?.label)
        report(attached, &state, settings, at: frame.time, size: frame.visibleSize)
        if settings.draw { draw(views.map(\.face), state.writing, settings, attached, on: frame.pixels) }
    }

    private func crop(_ view: View, _ state: inout State, _ frame: Frame) throws -> CroppedFace? {
        try state.cropper.crop(
            view.track, in: frame.pixels, wholeFrame: view.track.id == state.wholeID, eyesOnly: state.measuresEyesOnly)
    }

    // MARK: - By a network

    /// Runs the network on the faces that need an observation, and updates the face ids.
    private func identify(
        _ views: inout [View], _ recognizer: Recognizer?, _ method: RecognitionMethod, _ state: inout State,
        _ settings: Settings, _ frame: Frame
    ) throws {
        let isForced = state.identities.hasDoubts
        for index in views.indices {
            let view = views[index]
            guard let crop = view.crop else { continue }
            // The vectors of tiny faces resemble each other, so `FaceIdentities` must not use them.
            let isLarge = (crop.alignment?.scale ?? .infinity) <= FaceIdentities.largestScale
            let isWhole = isLarge && view.isSure && view.isClear(of: views)
            guard
                state.observations.needsObservation(
                    view.track, crop.sample, frame: state.frame, isForced: isForced, isWhole: isWhole),
                let vector = try state.cropper.knownFace(crop, in: frame.pixels, for: method)?.embedding
            else { continue }
            let match = try recognizer?.nearest(to: .embedding(vector), excluding: database.excluded(for: view.face.id))
            state.observations.add(
                TrackObservations.Observation(vector: vector, match: match), to: view.track, crop.sample,
                frame: state.frame, isWhole: isWhole)
            if isLarge { views[index].vector = vector }
        }
        state.identities.update(
            views.map { view in
                FaceIdentities.View(
                    track: view.track.id, vector: view.vector, isSure: view.isSure, isClear: view.isClear(of: views))
            },
            at: frame.time.elapsed, keeping: settings.returnTime)
        for index in views.indices {
            let face = state.identities.identified(views[index].track)
            // If the face id has changed, reset the count of confirmations, because it applies to the previous face id.
            if face.id != views[index].face.id { state.observations.endConfirmations(of: views[index].track.id) }
            views[index].face = face
        }
    }

    /// Returns the number of the stranger to whom a face belongs; nil if the face has no number yet.
    private func stranger(_ view: View, _ views: [View], _ state: inout State) -> Int? {
        let id = view.face.id
        let others = views.compactMap {
            $0.face.id == id || !$0.isSure ? nil : state.identities[stranger: $0.face.id]
        }
        let face = StrangerStore.Face(
            stranger: state.identities[stranger: id], vectors: state.identities.vectors(of: id),
            vector: view.isSure && view.isClear(of: views) ? view.vector : nil,
            mayBeNew: state.identities.observationCount(of: id) >= 3 && !state.identities.wasNamed(id))
        let number = database.strangers.number(of: face, excluding: Set(others))
        state.identities[stranger: id] = number
        return number
    }

    // MARK: - By images

    /// Compares the image of a face with the images of known faces.
    private func compare(
        _ face: Detection, _ crop: CroppedFace, _ recognizer: Recognizer, _ state: inout State, _ settings: Settings
    ) throws -> Recognition {
        let match = try recognizer.nearest(to: .sample(crop.sample), excluding: database.excluded(for: face.id))
        let now = recognizer.vote(match, threshold: settings.threshold)
        let vote = state.votes.add(now, to: face, crop.sample, settings)
        var outcome = StrictCheck.Outcome.contradicted
        // If the face in this frame matches another known person than the majority vote, this frame contradicts the
        // name of the vote.
        if let name = vote.name, now.name == nil || now.name == name, !match.excluded.contains(name) {
            outcome = try recognizer.strictCheck(at: crop.sample, for: name)
        }
        return (vote, state.votes.confirm(face, crop.sample, as: vote.name, outcome, frame: state.frame))
    }

    // MARK: - Collecting

    /// Collects a face for the active collection (the first one in the queue), if the face differs enough from the
    /// known faces of the person.
    private func collect(
        _ views: [View], _ method: RecognitionMethod, _ state: inout State, _ frame: Frame
    ) throws {
        guard let wanted = database.face(among: views.map(\.face)),
            let view = views.first(where: { $0.face.id == wanted.id && $0.face.box == wanted.box }),
            let crop = try view.crop ?? crop(view, &state, frame)
        else { return }
        let time = frame.time.elapsed
        guard database.wants(crop.sample, at: time),
            let face = try state.cropper.knownFace(crop, in: frame.pixels, for: method)
        else { return }
        if database.add(face, crop.sample, at: time) { trainNow(&state) }
    }

    /// Trains with the collected faces. If the source is not live, the stream waits until the training ends.
    private func trainNow(_ state: inout State) {
        let isEnding: @Sendable () -> Bool = { [host] in host.worker.isEnding }
        if state.liveness.waits(.auto, host) {
            database.trainAndSave(unless: isEnding)
        } else {
            inBackground { $0.trainAndSave(unless: isEnding) }
        }
    }

    // MARK: - Drawing

    private func draw(
        _ faces: [Detection], _ writing: LabelWriter?, _ settings: Settings, _ named: [Detection], on frame: FrameImage
    ) {
        let collection = database.collection
        var labels: [(text: String, box: Rectangle, color: Color)] = []
        for face in faces {
            let classification = named.first { $0.id == face.id && $0.box == face.box }?.classifications.first
            let isWanted = collection?.track == face.id
            let color: Color =
                isWanted ? 0xFFFF_A000 : (classification?.labelID ?? 0) > 0 ? 0xFF30_D060 : 0xFFA0_A0A0
            let box = frame.drawBox(around: face.box, color: color)
            var text: String?
            if isWanted, let collection {
                text = "\u{2068}\(collection.name)\u{2069} \(collection.count)/\(collection.wanted(settings))"
            } else if let classification {
                text = "\u{2068}\(classification.label)\u{2069} \(Int((classification.confidence ?? 0) * 100 + 0.5))%"
            }
            if let text { labels.append((text, box, color)) }
        }
        var taken: [Rectangle] = []
        for (text, box, color) in labels {
            writing?.label(text, at: box, on: frame, color: color, avoiding: &taken, objects: labels.map(\.box))
        }
    }
}
