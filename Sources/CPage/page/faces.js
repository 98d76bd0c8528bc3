// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId, make, toast } from "./dom.js";

const recogniser = "svfacerecognize", tapWait = 3000, shownFaces = 12;

/** Returns true if a label is the name of a known person. */
const isName = (label) => Boolean(label) && label !== "unknown" && !/^stranger \d+$/.test(label);

/** Returns the text for a face: the label from svfacerecognize. If the person is unknown, returns "Face" and the id. */
const described = (face) => face.person && face.person !== "unknown" ? face.person : `Face ${face.id}`;

/** Returns the ids of all svfacerecognize elements whose action `confirm` the page may call. Includes elements in bins. */
function recognisers(elements) {
  return elements.flatMap((element) => [
    ...(element.factory === recogniser && (element.actions ?? []).some((action) => action.name === "confirm" && action.enabled !== false)
      ? [element.id] : []),
    ...recognisers(element.children ?? []),
  ]);
}

/**
 * Lets the user correct the names of faces. A click on a face in the video opens a window for the correction. For keyboard users,
 * the page also shows a button for each face in the newest frame.
 */
export class Faces {
  #connection;
  #dialog = byId("face");
  #row = byId("faces");
  #elements = new Set();
  #views = new Map();
  #tapped = -Infinity;
  #shown = null;

  /**
   * @param {Connection} connection receives messages and sends actions
   * @param {HTMLElement} canvas the video, on which the user clicks
   */
  constructor(connection, canvas) {
    this.#connection = connection;
    connection.addEventListener("pipeline", ({ detail }) => { this.#know(new Set(recognisers(detail.elements ?? []))); });
    connection.addEventListener("message", ({ detail }) => { this.#take(detail); });
    canvas.addEventListener("pointerdown", () => { this.#tapped = performance.now(); });
    byId("face-close").addEventListener("click", () => { this.#dialog.close(); });
    byId("face-yes").addEventListener("click", () => { this.#confirm(this.#shown.person); });
    byId("face-no").addEventListener("click", () => { this.#reject(); });
    byId("face-other").addEventListener("click", () => { this.#askName(); });
    byId("face-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const name = byId("face-name").value.trim();
      if (name) this.#confirm(name); else byId("face-name").focus();
    });
  }

  #know(elements) {
    // The page has missed earlier reports of new elements, so the page requests a report of the current faces.
    for (const element of elements) {
      if (!this.#views.has(element)) this.#connection.request({ type: "act", element, name: "report", arguments: [] }).catch(() => {});
    }
    this.#elements = elements;
    for (const id of [...this.#views.keys()]) if (!elements.has(id)) this.#views.delete(id);
    this.#row.hidden = elements.size === 0;
    this.#draw();
  }

  #take({ kind, element, fields }) {
    if (kind !== "element" || !this.#elements.has(element) || !fields) return;
    // The server sends the message about a click to all pages. A page opens the window only if the user clicked on this
    // page within the last 3 s.
    if (fields.event === "selected" && performance.now() - this.#tapped < tapWait) {
      this.#tapped = -Infinity;
      this.#open(element, { id: fields.id, person: fields.name });
    } else if (Array.isArray(fields.objects)) {
      this.#views.set(element, fields.objects.filter((face) => face.id));
      this.#draw();
    }
  }

  /** Draws the buttons. If a face stays in view, its button stays in the document and keeps the focus. */
  #draw() {
    const old = new Map([...this.#row.querySelectorAll("button")].map((button) => [button.dataset.key, button]));
    const faces = [...this.#views].flatMap(([element, list]) => list.map((face) => ({ element, face }))).slice(0, shownFaces);
    const nodes = faces.map(({ element, face }) => {
      const key = `${element}\n${face.id}`;
      const button = old.get(key) ?? make("button", { type: "button", class: "quick", "aria-haspopup": "dialog" });
      old.delete(key);
      button.dataset.key = key;
      button.dataset.face = face.id;
      button.textContent = described(face);
      button.onclick = () => { this.#open(element, face); };
      return button;
    });
    for (const button of old.values()) button.remove();
    nodes.forEach((node, at) => { if (this.#row.children[at] !== node) this.#row.insertBefore(node, this.#row.children[at] ?? null); });
    byId("faces-empty").hidden = nodes.length > 0;
  }

  #open(element, { id, person }) {
    this.#shown = { element, id, person };
    const named = isName(person);
    byId("face-title").textContent = described({ id, person });
    for (const [button, text] of [["face-yes", `Yes, this is ${person}`], ["face-no", `No, not ${person}`]]) {
      byId(button).hidden = !named;
      byId(button).textContent = text;
    }
    byId("face-other").hidden = !named;
    byId("face-form").hidden = named;
    byId("face-name").value = "";
    if (!this.#dialog.open) this.#dialog.showModal();
    if (named) byId("face-yes").focus(); else byId("face-name").focus();
  }

  #askName() {
    byId("face-other").hidden = true;
    byId("face-form").hidden = false;
    byId("face-name").focus();
  }

  async #confirm(name) {
    const { element, id } = this.#shown;
    await this.#act(element, "confirm", [id, name], `svfacerecognize has learned this face as ${name}.`);
  }

  async #reject() {
    const { element, id, person } = this.#shown;
    await this.#act(element, "reject", [id], `svfacerecognize does not give this face the name ${person} again.`);
  }

  /** Calls an action. If the action fails, the element posts a warning with the reason, and the page shows the warning. */
  async #act(element, name, values, done) {
    this.#dialog.close();
    try {
      const reply = await this.#connection.request({ type: "act", element, name, arguments: values });
      if (reply.answer) toast(done, { seconds: 4 });
    } catch (error) { toast(error.message, { kind: "error" }); }
  }
}
