// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Registers all elements. Returns false if at least one element could not be registered.
package func registerElements(plugin: OpaquePointer?) -> Bool {
    [
        register(Blend.self, plugin: plugin),
        register(Mixer.self, plugin: plugin),
        register(Switch.self, plugin: plugin),
        register(ChainFilter.self, plugin: plugin),
        register(FaceDetect.self, plugin: plugin),
        register(FaceMerge.self, plugin: plugin),
        register(FaceRecognize.self, plugin: plugin),
        register(BlobDetect.self, plugin: plugin),
        register(BlobClassify.self, plugin: plugin),
        register(LogoDetect.self, plugin: plugin),
        register(TestScene.self, plugin: plugin),
        register(Overlay.self, plugin: plugin),
        register(Zones.self, plugin: plugin),
        register(Tint.self, plugin: plugin),
        register(Edges.self, plugin: plugin),
        register(Events.self, plugin: plugin),
        register(WebSink.self, plugin: plugin),
        register(Publish.self, plugin: plugin),
        register(URISource.self, plugin: plugin),
        register(Clip.self, plugin: plugin),
    ].allSatisfy { $0 }
}
