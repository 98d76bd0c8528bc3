// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId, make, toast } from "./dom.js";
import { address } from "./socket.js";

const space = "http://www.w3.org/2000/svg";
const names = ["left eye", "right eye", "nose", "mouth", "chin"], fewest = 3;
/** Distances in CSS pixels within which a press grabs a point. */
const reach = { mouse: 10, touch: 24 };
const types = "PNG, JPEG, WebP, GIF, BMP and AVIF";
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Reads the value of svfacemerge's property `partner-points`. */
function parsePoints(text) {
  const parts = (text ?? "").split(/[ ;]+/).filter(Boolean);
  const species = /^(cat|human)$/i.test(parts[0] ?? "") ? parts.shift().toLowerCase() : "";
  const points = parts.map((part) => part.split(",").map(Number)).map(([x, y]) => ({ x, y }));
  const isValid = points.length <= names.length && points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
  return { species, points: isValid ? points : [] };
}

/**
 * Lets the user set the points of svfacemerge's partner by clicks on the partner image. Positions are pixels of the image. The page
 * can show only uploaded images, and the partner image if its file is in the folder for uploads.
 */
export class PartnerPoints {
  #connection;
  #library;
  #values = new Map();
  #element = "";
  /** The path of the image that the window shows, and the number of the opening. */
  #path = "";
  #opening = 0;
  #isLoaded = false;
  #points = [];
  #drag = -1;
  #dialog = byId("points");
  #image = byId("points-image");

  /**
   * @param {Connection} connection the connection that sets properties
   * @param {Library} library lists the uploaded images
   */
  constructor(connection, library) {
    this.#connection = connection;
    this.#library = library;
    const know = (elements) => {
      for (const { id, factory, properties, children } of elements) {
        if (factory === "svfacemerge") for (const { name, value } of properties ?? []) this.#values.set(`${id}\n${name}`, value);
        know(children ?? []);
      }
    };
    connection.addEventListener("pipeline", ({ detail }) => { know(detail.elements ?? []); });
    connection.addEventListener("property", ({ detail: { element, name, value } }) => {
      if (this.#values.has(`${element}\n${name}`)) this.#values.set(`${element}\n${name}`, value);
    });
    const frame = byId("points-frame");
    frame.addEventListener("pointerdown", (event) => { this.#press(event); });
    frame.addEventListener("pointermove", (event) => { if (this.#drag >= 0) this.#put(this.#drag, this.#position(event)); });
    for (const end of ["pointerup", "pointercancel"]) frame.addEventListener(end, () => { this.#drag = -1; });
    frame.addEventListener("keydown", (event) => { if (this.#key(event)) event.preventDefault(); });
    this.#image.addEventListener("load", () => {
      // A late event of an earlier image has no effect while the current image is loading.
      if (!this.#image.hasAttribute("src") || !this.#image.complete || !this.#image.naturalWidth) return;
      this.#isLoaded = true;
      this.#draw();
    });
    this.#image.addEventListener("error", () => {
      if (!this.#image.hasAttribute("src")) return;
      this.#clear();
      this.#refuse(`The browser cannot show this image. The page can show images of the types ${types}.`);
    });
    this.#dialog.addEventListener("close", () => { if (!this.#dialog.open) this.#clear(); });
    new ResizeObserver(() => { this.#draw(); }).observe(frame);
    byId("points-undo").addEventListener("click", () => { this.#points.pop(); this.#draw(); });
    byId("points-close").addEventListener("click", () => { this.#dialog.close(); });
    byId("points-apply").addEventListener("click", () => { this.#set(this.#text); });
    byId("points-none").addEventListener("click", () => { this.#set(""); });
  }

  /** Makes the button that opens the image of an element's partner. */
  button(element) {
    return make("button", { type: "button", class: "plain", "data-points": "", "aria-haspopup": "dialog", onclick: () => { this.#open(element.id); } },
      "Set points on the image…");
  }

  #open(element) {
    const value = (name) => this.#values.get(`${element}\n${name}`);
    const path = value("partner");
    const file = this.#library.uploads.find((each) => each.path === path);
    if (!file) {
      toast(path ? "The page can show only uploaded images. Upload the partner image, and then choose Use as partner image."
        : "There is no partner image. Upload an image, and then choose Use as partner image.", { seconds: 10 });
      return;
    }
    const { species, points } = parsePoints(value("partner-points"));
    this.#clear();
    [this.#element, this.#path, this.#points] = [element, path, points];
    this.#opening += 1;
    byId("points-species").value = species;
    this.#refuse("");
    // The file can be new under an old name. With the parameter, the browser loads the new image.
    this.#image.src = address(`uploads/${encodeURIComponent(file.name)}?opening=${Date.now()}-${this.#opening}`);
    this.#dialog.showModal();
    byId("points-frame").focus();
    this.#draw();
  }

  /** Removes the image and the points. */
  #clear() {
    [this.#isLoaded, this.#points, this.#drag] = [false, [], -1];
    this.#image.removeAttribute("src");
    this.#draw();
  }

  get #text() {
    const number = (value) => String(Math.round(value * 10) / 10);
    return [byId("points-species").value, ...this.#points.map(({ x, y }) => `${number(x)},${number(y)}`)].filter(Boolean).join(" ");
  }

  /** Returns the size of a pixel of the image, in CSS pixels. */
  get #scale() { return this.#image.clientWidth / (this.#image.naturalWidth || 1) || 1; }

  #position({ clientX, clientY }) {
    const { left, top } = this.#image.getBoundingClientRect();
    return { x: (clientX - left) / this.#scale, y: (clientY - top) / this.#scale };
  }

  #put(at, { x, y }) {
    const { naturalWidth, naturalHeight } = this.#image;
    this.#points[at] = { x: Math.min(Math.max(x, 0), naturalWidth), y: Math.min(Math.max(y, 0), naturalHeight) };
    this.#draw();
  }

  #press(event) {
    if (!event.isPrimary || event.button !== 0 || !this.#isLoaded) return;
    event.preventDefault();
    byId("points-frame").focus({ preventScroll: true });
    byId("points-frame").setPointerCapture(event.pointerId);
    const place = this.#position(event), limit = (reach[event.pointerType] ?? reach.mouse) / this.#scale;
    const distances = this.#points.map(({ x, y }) => Math.hypot(x - place.x, y - place.y));
    const least = Math.min(...distances);
    this.#drag = least <= limit ? distances.indexOf(least) : this.#points.length < names.length ? this.#points.length : -1;
    if (this.#drag === this.#points.length) this.#put(this.#drag, place);
  }

  /** Returns true if the key has an effect. */
  #key({ key, shiftKey, ctrlKey, metaKey, altKey }) {
    if (ctrlKey || metaKey || altKey || !this.#isLoaded) return false;
    const last = this.#points.length - 1, { naturalWidth, naturalHeight } = this.#image;
    if (key === " " && last + 1 < names.length) this.#put(last + 1, { x: naturalWidth / 2, y: naturalHeight / 2 });
    else if (key === "Backspace") { this.#points.pop(); this.#draw(); }
    else if (arrows[key] && last >= 0) {
      const by = (shiftKey ? 10 : 1) / this.#scale, [dx, dy] = arrows[key], { x, y } = this.#points[last];
      this.#put(last, { x: x + dx * by, y: y + dy * by });
    } else return false;
    return true;
  }

  #draw() {
    const count = this.#points.length, next = names[count];
    const isLoading = !this.#isLoaded && this.#image.hasAttribute("src");
    byId("points-hint").textContent = isLoading ? "Loading the image…" : !this.#isLoaded ? ""
      : next === undefined ? "To move a point, drag the point."
      : `Select the ${next}${count >= fewest ? " (optional)" : ""}. Left and right are from your point of view.`;
    byId("points-apply").disabled = !this.#isLoaded || count < fewest;
    byId("points-undo").disabled = !this.#isLoaded || count === 0;
    byId("points-layer").replaceChildren(...(this.#isLoaded ? this.#points : []).flatMap(({ x, y }, at) => {
      const mark = document.createElementNS(space, "circle"), text = document.createElementNS(space, "text");
      const [cx, cy] = [x * this.#scale, y * this.#scale];
      for (const [name, value] of Object.entries({ cx, cy, r: 6, class: "zone-corner" })) mark.setAttribute(name, value);
      for (const [name, value] of Object.entries({ x: cx + 9, y: cy - 7, class: "zone-label" })) text.setAttribute(name, value);
      text.textContent = names[at];
      return [mark, text];
    }));
  }

  #refuse(reason) { byId("points-refusal").textContent = reason; }

  async #set(value) {
    this.#refuse("");
    if (this.#values.get(`${this.#element}\npartner`) !== this.#path) {
      this.#refuse("The partner image has changed since you opened this window, so the page has not set the points. "
        + "Close this window, and set the points on the new image.");
      return;
    }
    const opening = this.#opening;
    try {
      const element = this.#element;
      await this.#connection.request({ type: "set", element, name: "partner-points", value });
      // The server reports the new value up to 0.1 s after its reply. The user can open the window earlier.
      this.#values.set(`${element}\npartner-points`, value);
      if (opening === this.#opening) this.#dialog.close();
      toast(value ? "svfacemerge uses the points." : "svfacemerge detects the face.", { seconds: 4 });
    } catch (error) {
      if (opening === this.#opening && this.#dialog.open) this.#refuse(error.message);
      else toast(error.message, { kind: "error", seconds: 10 });
    }
  }
}
