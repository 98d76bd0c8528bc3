// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId } from "./dom.js";
import { isInside, mostCorners } from "./zonetext.js";

const space = "http://www.w3.org/2000/svg";
/** Distances in CSS pixels: from a corner at which a press grabs the corner, and from an edge of the frame to which a corner snaps. */
const reach = { mouse: 10, touch: 24 }, snap = 8;
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** Step of the arrow keys, as a fraction of the frame. With Shift, the step is ten times longer. */
const step = 0.002;

const clamp = (value) => Math.min(1, Math.max(0, value));
const rounded = (value) => Math.round(clamp(value) * 10000) / 10000;

function node(tag, attributes, text = "") {
  const made = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

/** The layer over the video on which the user draws zones. Positions are fractions of the frame, also if the video has bars. */
export class ZoneBoard {
  /** The drawn zones, without the shape that the user is drawing. */
  zones = [];
  /** The selected zone; null if no zone is selected. */
  chosen = null;
  /** The index of the selected corner; -1 if no corner is selected. */
  corner = -1;
  /** The shape that the user is drawing; null if the user is not drawing. */
  draft = null;
  /** True if the zones differ from the zones in `open`. */
  isChanged = false;
  #layer = byId("zone-layer");
  #picture;
  #owner;
  #drag = null;
  /** Position of the mouse while the user is drawing. */
  #hover = null;

  /**
   * @param {Picture} picture the video
   * @param {Object} owner `changed()`: called after a change of the zones or the selection. `finished()`: called when the user has
   *   finished a shape, which is then selected and has no name. `say(text)`: shows a hint. `leave()`: called if the user presses
   *   Escape and is not drawing a shape
   */
  constructor(picture, owner) {
    this.#picture = picture;
    this.#owner = owner;
    const layer = this.#layer;
    layer.addEventListener("pointerdown", (event) => { this.#press(event); });
    layer.addEventListener("pointermove", (event) => { this.#move(event); });
    layer.addEventListener("pointerup", (event) => { this.#release(event); });
    layer.addEventListener("pointercancel", (event) => { this.#cancelDrag(event); });
    layer.addEventListener("contextmenu", (event) => { event.preventDefault(); });
    layer.addEventListener("keydown", (event) => { if (this.#key(event)) { event.preventDefault(); event.stopPropagation(); } });
    new ResizeObserver(() => { this.#draw(); }).observe(layer);
    picture.canvas.addEventListener("resized", () => { this.#draw(); });
  }

  open(zones) {
    this.#reset(zones);
    this.#layer.removeAttribute("hidden");
    this.#layer.focus({ preventScroll: true });
    this.#changed(false);
  }

  close() {
    this.#layer.setAttribute("hidden", "");
    this.#reset([]);
  }

  #reset(zones) {
    this.zones = zones;
    [this.chosen, this.corner, this.draft, this.#drag, this.#hover, this.isChanged] = [null, -1, null, null, null, false];
  }

  choose(index) {
    [this.chosen, this.corner] = [this.zones[index] ?? null, -1];
    this.#changed(false);
  }

  start(isLine) {
    [this.draft, this.chosen, this.corner] = [{ name: "", isLine, points: [] }, null, -1];
    this.#layer.focus({ preventScroll: true });
    this.#changed(false);
  }

  /** Replaces the draft by a shape in the middle of the frame. The user can then move the shape with the arrow keys. */
  addExample() {
    const [low, high] = [0.35, 0.65];
    this.draft.points = this.draft.isLine ? [{ x: 0.5, y: low }, { x: 0.5, y: high }]
      : [{ x: low, y: low }, { x: high, y: low }, { x: high, y: high }, { x: low, y: high }];
    this.finish();
  }

  cancelDraft() {
    [this.draft, this.#drag, this.#hover] = [null, null, null];
    this.#owner.say("");
    this.#changed(false);
  }

  /** Ends the draft. Returns false if the draft has too few points. */
  finish() {
    const { draft } = this;
    if (draft.points.length < (draft.isLine ? 2 : 3)) {
      this.#owner.say(draft.isLine ? "A line needs two points." : "An area needs at least 3 corners.");
      return false;
    }
    [this.draft, this.#drag, this.#hover] = [null, null, null];
    this.zones.push(draft);
    [this.chosen, this.corner, this.isChanged] = [draft, -1, true];
    this.#owner.finished();
    this.#draw();
    return true;
  }

  rename(name) {
    if (!this.chosen || this.chosen.name === name) return;
    this.chosen.name = name;
    this.#changed();
  }

  reverse() {
    this.chosen?.points.reverse();
    this.#changed();
  }

  deleteCorner() {
    if (!this.chosen || this.chosen.isLine || this.corner < 0 || this.chosen.points.length <= 3) return;
    this.chosen.points.splice(this.corner, 1);
    this.corner = -1;
    this.#changed();
  }

  deleteZone() {
    if (!this.chosen) return;
    this.zones.splice(this.zones.indexOf(this.chosen), 1);
    this.choose(-1);
    this.#changed();
  }

  #changed(isEdit = true) {
    if (isEdit) this.isChanged = true;
    this.#owner.changed();
    this.#draw();
  }

  /** Returns the place of the frame in the layer, in CSS pixels. */
  get #frame() {
    const { left, top, width, height } = this.#picture.shownBox(), box = this.#layer.getBoundingClientRect();
    return { left: left - box.left, top: top - box.top, width, height };
  }

  /** Returns the position of a pointer event. Positions near or beyond an edge of the frame snap to the edge. */
  #position(event) {
    const { left, top, width, height } = this.#picture.shownBox();
    const along = (offset, length) => (offset < snap ? 0 : offset > length - snap ? 1 : rounded(offset / length));
    return { x: along(event.clientX - left, width), y: along(event.clientY - top, height) };
  }

  #distance(one, other) {
    const { width, height } = this.#frame;
    return Math.hypot((one.x - other.x) * width, (one.y - other.y) * height);
  }

  /** Returns the index of the nearest point within reach; -1 if there is none. */
  #nearest(points, place, limit) {
    const distances = points.map((point) => this.#distance(point, place));
    const least = Math.min(...distances);
    return least <= limit ? distances.indexOf(least) : -1;
  }

  /** Returns the middles of the edges of an area. A drag of a middle adds a corner. */
  #middles({ points, isLine }) {
    if (isLine || points.length >= mostCorners) return [];
    return points.map((point, at) => {
      const next = points[(at + 1) % points.length];
      return { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    });
  }

  /** Returns the topmost zone at a position. */
  #zoneAt(place, limit) {
    return this.zones.findLast(({ points, isLine }) => {
      if (!isLine) return isInside(place, points);
      const { width, height } = this.#frame;
      const [start, end] = points.map(({ x, y }) => ({ x: x * width, y: y * height }));
      const along = { x: end.x - start.x, y: end.y - start.y }, to = { x: place.x * width - start.x, y: place.y * height - start.y };
      const share = clamp((along.x * to.x + along.y * to.y) / (along.x ** 2 + along.y ** 2 || 1));
      return Math.hypot(to.x - share * along.x, to.y - share * along.y) <= limit;
    }) ?? null;
  }

  #press(event) {
    if (!event.isPrimary || event.button !== 0) return;
    event.preventDefault();
    const layer = this.#layer, place = this.#position(event), limit = reach[event.pointerType] ?? reach.mouse;
    layer.focus({ preventScroll: true });
    layer.setPointerCapture(event.pointerId);
    if (this.draft) this.#addPoint(event.pointerId, place, limit);
    else this.#grab(event.pointerId, place, limit);
  }

  #addPoint(pointer, place, limit) {
    const { points, isLine } = this.draft;
    // A press on the first corner or a double click finishes the area.
    if (!isLine && points.length >= 3 && this.#nearest([points[0], points.at(-1)], place, limit) >= 0) {
      this.finish();
      return;
    }
    if (points.length && this.#distance(points.at(-1), place) <= limit / 2) return;
    if (points.length >= mostCorners) {
      this.#owner.say(`An area can have up to ${mostCorners} corners.`);
      return;
    }
    points.push(place);
    this.#drag = { pointer, zone: this.draft, at: points.length - 1, from: place, undo: () => { points.pop(); } };
    this.#hover = null;
    this.#draw();
  }

  #grab(pointer, place, limit) {
    const zone = this.chosen, at = zone ? this.#nearest(zone.points, place, limit) : -1;
    const edge = zone && at < 0 ? this.#nearest(this.#middles(zone), place, limit) : -1;
    if (edge >= 0) {
      zone.points.splice(edge + 1, 0, place);
      this.corner = edge + 1;
      this.#drag = { pointer, zone, at: this.corner, undo: () => { zone.points.splice(edge + 1, 1); this.corner = -1; } };
      this.#changed();
    } else if (at >= 0) {
      const old = zone.points[at];
      this.corner = at;
      this.#drag = { pointer, zone, at, from: place, undo: () => { zone.points[at] = old; } };
      this.#changed(false);
    } else this.choose(this.zones.indexOf(this.#zoneAt(place, limit)));
  }

  #move(event) {
    const drag = this.#drag, place = this.#position(event);
    if (!drag && this.draft && event.pointerType === "mouse") this.#hover = place;
    else if (drag?.pointer !== event.pointerId) return;
    else if (drag.zone === this.draft && this.draft.isLine && drag.at === 0) this.#hover = place;
    else if (!drag.from || this.#distance(drag.from, place) > 3) {
      // A click on a corner without a movement selects the corner, and does not move the corner.
      drag.from = null;
      drag.zone.points[drag.at] = place;
      if (drag.zone !== this.draft) this.isChanged = true;
    }
    this.#draw();
  }

  #release(event) {
    const drag = this.#drag;
    if (drag?.pointer !== event.pointerId) return;
    this.#move(event);
    this.#drag = null;
    if (drag.zone !== this.draft || !this.draft.isLine) return;
    const { points } = this.draft, place = this.#position(event);
    if (points.length === 1 && this.#distance(points[0], place) > reach.touch / 2) points.push(place);
    if (points.length === 2) this.finish();
  }

  /** Restores the zones if the browser takes over the pointer, for example to zoom the page with two fingers. */
  #cancelDrag({ pointerId }) {
    if (this.#drag?.pointer !== pointerId) return;
    this.#drag.undo();
    this.#drag = null;
    this.#changed(false);
  }

  /** Returns true if the key has an effect. */
  #key({ key, shiftKey, ctrlKey, metaKey, altKey }) {
    if (ctrlKey || metaKey || altKey) return false;
    const { draft, chosen } = this;
    if (key === "Escape") {
      if (draft) this.cancelDraft(); else this.#owner.leave();
    } else if (key === "Enter" && draft) this.finish();
    else if (key === "Delete" || key === "Backspace") {
      if (draft) { draft.points.pop(); this.#draw(); }
      else if (this.corner >= 0 && chosen?.points.length > 3) this.deleteCorner();
      else this.deleteZone();
    } else if (key === " " && chosen) {
      this.corner = this.corner + 1 < chosen.points.length ? this.corner + 1 : -1;
      this.#changed(false);
    } else if (arrows[key] && chosen) this.#shift(chosen, arrows[key].map((sign) => sign * step * (shiftKey ? 10 : 1)));
    else return false;
    return true;
  }

  /** Moves the selected corner, or the whole zone if no corner is selected. The zone stays within the frame. */
  #shift(zone, [dx, dy]) {
    const moved = this.corner < 0 ? zone.points : [zone.points[this.corner]];
    const bounded = (by, values) => Math.min(1 - Math.max(...values), Math.max(-Math.min(...values), by));
    const [x, y] = [bounded(dx, moved.map((point) => point.x)), bounded(dy, moved.map((point) => point.y))];
    zone.points = zone.points.map((point) =>
      (moved.includes(point) ? { x: rounded(point.x + x), y: rounded(point.y + y) } : point));
    this.#changed();
  }

  #draw() {
    if (this.#layer.hasAttribute("hidden")) return;
    const { left, top, width, height } = this.#frame;
    const place = ({ x, y }) => [left + x * width, top + y * height];
    const path = (points) => points.map((point) => place(point).map((value) => value.toFixed(1)).join()).join(" ");
    const parts = this.zones.flatMap((zone) => {
      const { name, isLine, points } = zone, marks = zone === this.chosen ? "zone chosen" : "zone";
      const [x, y] = place(points.reduce((one, other) => (other.y < one.y ? other : one)));
      return [node(isLine ? "polyline" : "polygon", { points: path(points), class: marks }),
        ...(isLine ? [arrow(...points.map(place))] : []),
        node("text", { x, y: Math.max(16, y - 8), class: x > left + width / 2 ? "zone-label end" : "zone-label" }, name)];
    });
    if (this.draft) {
      const points = [...this.draft.points, ...(this.#hover ? [this.#hover] : [])];
      parts.push(node("polyline", { points: path(points), class: "zone draft" }));
    }
    const shape = this.draft ?? this.chosen;
    const dots = (points, marks, radius) => points.map((point, at) => {
      const [cx, cy] = place(point);
      return node("circle", { cx, cy, r: radius, class: at === this.corner && !this.draft ? `${marks} chosen` : marks });
    });
    if (shape) parts.push(...(this.draft ? [] : dots(this.#middles(shape), "zone-middle", 4)), ...dots(shape.points, "zone-corner", 7));
    this.#layer.replaceChildren(...parts);
  }
}

/** Returns an arrow at the middle of a line. The arrow points to the right side of the line, as svzones draws it. */
function arrow([x0, y0], [x1, y1]) {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1, [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  const at = (forward, side) => [(x0 + x1) / 2 - uy * forward + ux * side, (y0 + y1) / 2 + ux * forward + uy * side].join();
  return node("polyline", { points: [at(0, 0), at(22, 0), at(14, 7), at(22, 0), at(14, -7)].join(" "), class: "zone arrow" });
}
