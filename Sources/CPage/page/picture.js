// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId } from "./dom.js";

/**
 * Draws frames on the canvas and acknowledges each frame. The page decodes one frame at a time. If several frames arrive meanwhile,
 * the page keeps only the newest frame, so that no queue builds up.
 */
export class Picture {
  drawn = 0;
  #canvas = byId("picture");
  #context = this.#canvas.getContext("2d", { alpha: false });
  #connection;
  #next = null;
  #busy = false;

  constructor(connection) {
    this.#connection = connection;
    connection.addEventListener("frame", (event) => { this.#next = event.detail; this.#work(); });
  }

  /** The canvas. Its width and height are the size of the frames, in pixels. */
  get canvas() { return this.#canvas; }

  async #work() {
    if (this.#busy) return;
    this.#busy = true;
    while (this.#next) {
      const frame = this.#next;
      this.#next = null;
      try {
        const bitmap = await createImageBitmap(frame.picture);
        if (this.#canvas.width !== bitmap.width || this.#canvas.height !== bitmap.height) this.#resize(bitmap);
        this.#context.drawImage(bitmap, 0, 0);
        bitmap.close();
        this.drawn += 1;
        this.#canvas.dataset.frame = frame.number;
      } catch { /* A picture that cannot be decoded is left out; the next one will come. */ }
      this.#connection.send({ type: "ack", frame: frame.number });
      if (this.drawn === 1) this.#canvas.dispatchEvent(new Event("firstframe"));
    }
    this.#busy = false;
  }

  #resize(bitmap) {
    this.#canvas.width = bitmap.width;
    this.#canvas.height = bitmap.height;
    // On narrow pages, CSS computes the height of the video from this aspect ratio.
    byId("screen").style.setProperty("--shape", `${bitmap.width} / ${bitmap.height}`);
    this.#canvas.dispatchEvent(new Event("resized"));
  }

  /**
   * Converts a point of the window to a point of the frame.
   * @param {number} clientX horizontal position in the window, as in pointer events
   * @param {number} clientY vertical position in the window
   * @returns {{x: number, y: number, inside: boolean}} the position in pixels of the frame. If the point is outside the frame, the
   *   position is the nearest point on the frame's edge, and `inside` is false
   */
  locate(clientX, clientY) {
    const { left, top, width, height } = this.shownBox();
    const x = (clientX - left) / width * this.#canvas.width;
    const y = (clientY - top) / height * this.#canvas.height;
    const clamp = (value, limit) => Math.min(Math.max(value, 0), limit - 1);
    const inside = x >= 0 && y >= 0 && x < this.#canvas.width && y < this.#canvas.height;
    return { x: clamp(x, this.#canvas.width), y: clamp(y, this.#canvas.height), inside };
  }

  /** Returns the rectangle of the window that shows the frame, without the bars around the frame. */
  shownBox() {
    const box = this.#canvas.getBoundingClientRect();
    const scale = Math.min(box.width / this.#canvas.width, box.height / this.#canvas.height) || 1;
    const width = this.#canvas.width * scale, height = this.#canvas.height * scale;
    return { left: box.left + (box.width - width) / 2, top: box.top + (box.height - height) / 2, width, height };
  }

  /** Returns the canvas as PNG. Snapshots use it if the server does not answer. */
  snapshot() {
    return new Promise((resolve, reject) => {
      this.#canvas.toBlob((blob) => { blob ? resolve(blob) : reject(new Error("there is no frame yet.")); }, "image/png");
    });
  }
}
