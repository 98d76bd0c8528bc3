// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Elements

// The two public functions in this file replace the macro GST_PLUGIN_DEFINE. In `libgst<name>.so`, GStreamer searches
// for the function `gst_plugin_<name>_get_desc`.

@c(gst_plugin_swiftvision_get_desc)
public func pluginDescription() -> UnsafePointer<GstPluginDesc>? {
    UnsafePointer(description)
}

@c(gst_plugin_swiftvision_register)
public func registerStatically() {
    gst_plugin_register_static(
        description.pointee.major_version, description.pointee.minor_version, description.pointee.name,
        description.pointee.description, initialise, description.pointee.version, description.pointee.license,
        description.pointee.source, description.pointee.package, description.pointee.origin)
}

@c private func initialise(_ plugin: OpaquePointer?) -> gboolean {
    registerElements(plugin: plugin) ? 1 : 0
}

/// The description of the plugin. GStreamer keeps the pointer to the description, so the description is never freed.
private nonisolated(unsafe) let description: UnsafeMutablePointer<GstPluginDesc> = {
    let description = UnsafeMutablePointer<GstPluginDesc>.allocate(capacity: 1)
    description.initialize(
        to: GstPluginDesc(
            major_version: 1, minor_version: 22, name: literal("swiftvision"),
            description: literal("Live video: blending, switching, filters, detection, recognition, web page"),
            plugin_init: initialise, version: literal(version), license: literal("LGPL"),
            source: literal("swiftvision"), package: literal("swiftvision"),
            origin: literal("https://github.com/swiftvision/swiftvision"), release_datetime: literal(releaseDate),
            _gst_reserved: (nil, nil, nil, nil)))
    return description
}()

private func literal(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}
