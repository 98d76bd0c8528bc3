// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId } from "./dom.js";

/**
 * Draws frames onto the canvas and acknowledges each. At most one is decoded at a time; of those that come meanwhile the newest
 * waits, so that nothing piles up.
 */
export class Picture {
  /** Frames that were drawn since the page was opened. */
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

  /** The canvas, whose size is that of the frames. */
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
    // The phone's layout gives the picture the room that its shape needs.
    byId("screen").style.setProperty("--shape", `${bitmap.width} / ${bitmap.height}`);
  }

  /**
   * Where a point of the window lies in the frame.
   * @param {number} clientX window coordinates, as events have them
   * @param {number} clientY the same
   * @returns {{x: number, y: number, inside: boolean}} pixels of the frame, moved to its edge where the point lies outside
   */
  locate(clientX, clientY) {
    const { left, top, width, height } = this.shownBox();
    const x = (clientX - left) / width * this.#canvas.width;
    const y = (clientY - top) / height * this.#canvas.height;
    const clamp = (value, limit) => Math.min(Math.max(value, 0), limit - 1);
    const inside = x >= 0 && y >= 0 && x < this.#canvas.width && y < this.#canvas.height;
    return { x: clamp(x, this.#canvas.width), y: clamp(y, this.#canvas.height), inside };
  }

  /** The part of the window that the frame fills, without the bars beside it or above it. */
  shownBox() {
    const box = this.#canvas.getBoundingClientRect();
    const scale = Math.min(box.width / this.#canvas.width, box.height / this.#canvas.height) || 1;
    const width = this.#canvas.width * scale, height = this.#canvas.height * scale;
    return { left: box.left + (box.width - width) / 2, top: box.top + (box.height - height) / 2, width, height };
  }

  /** The canvas as a PNG file: what is taken where the server does not answer. */
  snapshot() {
    return new Promise((resolve, reject) => {
      this.#canvas.toBlob((blob) => { blob ? resolve(blob) : reject(new Error("there is no frame yet.")); }, "image/png");
    });
  }
}
