// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Elements

/// True; the elements exist in this process once this was read. They can be registered once only.
package let elementsAreRegistered = GStreamer.isReady && registerElements(plugin: nil)
