// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId, make, toast } from "./dom.js";
import { ZoneBoard } from "./zoneboard.js";
import { freshName, isTooLong, mostZones, nameProblem, parseZones, zonesFile, zonesText } from "./zonetext.js";

const unreadable = "The page cannot read the current zones, so the page cannot edit the zones.";

const isTouch = () => matchMedia("(pointer: coarse)").matches;

/** Returns all svzones elements whose zones the page may set, and elements in bins. */
function zoneElements(elements) {
  return elements.flatMap((element) => {
    const values = new Map((element.properties ?? []).map((property) => [property.name, property]));
    const own = element.factory === "svzones" && values.get("zones")?.writable !== false
      ? [{ id: element.id, name: element.name, values: new Map([...values].map(([name, { value }]) => [name, value])) }] : [];
    return [...own, ...zoneElements(element.children ?? [])];
  });
}

/**
 * Lets the user draw the zones of svzones over the video. Until the user presses Apply, the zones of svzones do not change. While
 * the user draws, the video gets no pointer and keyboard events.
 */
export class Zones {
  #connection;
  #board;
  #elements = [];
  #element = null;
  /** The current zones when the drawing began, as text. */
  #base = "";
  #isSending = false;
  #bar = byId("zone-bar");
  #status = byId("zone-status");

  /**
   * @param {Connection} connection the connection that sets properties
   * @param {Picture} picture the video
   */
  constructor(connection, picture) {
    this.#connection = connection;
    this.#board = new ZoneBoard(picture, {
      changed: () => { this.#show(); },
      finished: () => { this.#finished(); },
      say: (text) => { this.#say(text); },
      leave: () => { this.#leave(); },
    });
    connection.addEventListener("pipeline", ({ detail }) => { this.#know(zoneElements(detail.elements ?? [])); });
    connection.addEventListener("property", ({ detail }) => { this.#follow(detail); });
    const on = (id, event, act) => { byId(id).addEventListener(event, act); };
    on("zones", "click", () => { if (this.#element) this.#leave(); else this.#open(this.#elements[0]); });
    on("zone-element", "change", ({ target }) => {
      if (this.#isKept()) target.value = this.#element.id;
      else this.#open(this.#elements.find(({ id }) => id === target.value));
    });
    on("zone-list", "change", ({ target }) => { this.#board.choose(Number(target.value)); });
    // A press of a button by keyboard has no position (detail = 0). The board then adds a shape that the arrow keys can move.
    on("zone-area", "click", ({ detail }) => { this.#start(false, detail === 0); });
    on("zone-line", "click", ({ detail }) => { this.#start(true, detail === 0); });
    on("zone-reverse", "click", () => { this.#board.reverse(); });
    on("zone-corner", "click", () => { this.#board.deleteCorner(); });
    on("zone-delete", "click", () => { this.#board.deleteZone(); });
    on("zone-name", "input", () => { this.#rename(); });
    on("zone-apply", "click", () => { this.#apply(); });
    on("zone-cancel", "click", () => { this.#close(); });
    this.#bar.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target.id === "zone-name") byId("zone-layer").focus();
      if (event.key !== "Escape") return;
      event.stopPropagation();
      if (this.#board.draft) this.#board.cancelDraft(); else this.#leave();
    });
  }

  #know(elements) {
    this.#elements = elements;
    byId("zones").hidden = elements.length === 0;
    byId("zone-element").replaceChildren(...elements.map(({ id, name }) => make("option", { value: id }, name)));
    byId("zone-element").hidden = elements.length < 2;
    if (!this.#element) return;
    const element = elements.find(({ id }) => id === this.#element.id);
    if (!element) {
      this.#close();
      toast("The pipeline has no svzones any more, so the page has discarded the drawing.", { kind: "warning" });
      return;
    }
    this.#element = element;
    byId("zone-element").value = element.id;
    this.#compare();
  }

  #follow({ element: id, name, value }) {
    const element = this.#elements.find((each) => each.id === id);
    if (!element?.values.has(name)) return;
    element.values.set(name, value);
    if (element === this.#element) this.#compare();
  }

  /** True if svzones reads the zones from a file. The property `zones` then has no effect. */
  get #hasFile() { return Boolean(this.#element?.values.get("zones-location")); }

  /** The current zones as text. */
  get #current() { return this.#element.values.get(this.#hasFile ? "active-zones" : "zones") ?? ""; }

  /** Checks if another page or program has changed the zones while the user was drawing. */
  #compare() {
    this.#showFile();
    if (this.#isSending || this.#current === this.#base) return;
    if (this.#board.isChanged || this.#board.draft) {
      this.#base = this.#current;
      this.#say(this.#hasFile ? "The zones in the file changed while you were drawing. The download contains your drawing, but not the changed zones."
        : "The zones changed while you were drawing. The button Apply replaces the changed zones with your drawing.");
    } else this.#open(this.#element);
  }

  #open(element) {
    this.#element = element;
    const zones = parseZones(this.#current);
    if (!zones) {
      const advice = this.#hasFile ? "Edit the zones file (its path is in the property zones-location)." : "Edit the text of the property zones.";
      this.#close();
      toast(`${unreadable} ${advice}`, { kind: "warning", seconds: 12 });
      return;
    }
    this.#base = this.#current;
    this.#say("");
    byId("zones").setAttribute("aria-pressed", "true");
    byId("zone-element").value = element.id;
    this.#bar.hidden = false;
    document.body.classList.add("drawing");
    this.#showFile();
    this.#board.open(zones);
    if (!zones.length) this.#say("Press Area or Line, and then draw on the video.");
  }

  #showFile() {
    byId("zone-file").hidden = !this.#hasFile;
    byId("zone-apply").textContent = this.#hasFile ? "Download" : "Apply";
  }

  #close() {
    const hadFocus = this.#bar.contains(document.activeElement) || document.activeElement === byId("zone-layer");
    this.#element = null;
    this.#bar.hidden = true;
    document.body.classList.remove("drawing");
    this.#board.close();
    byId("zones").setAttribute("aria-pressed", "false");
    if (hadFocus) byId("zones").focus();
  }

  /** Ends the drawing, unless the drawing has changes. */
  #leave() { if (!this.#isKept()) this.#close(); }

  /** Returns true if the drawing has changes, and then asks the user to discard the changes. */
  #isKept() {
    const isKept = this.#board.isChanged || this.#board.draft !== null;
    if (isKept) this.#say("The drawing has changes. To discard the changes, press Cancel.");
    return isKept;
  }

  #start(isLine, byKeyboard) {
    if (this.#board.zones.length >= mostZones) {
      this.#say(`svzones can have up to ${mostZones} zones.`);
      return;
    }
    this.#say(isLine ? "Press the start of the line, and drag to the end."
      : isTouch() ? "Tap each corner. To finish, tap the first corner again."
        : "Click each corner. To finish, press Enter, or click the first corner again.");
    this.#board.start(isLine);
    if (byKeyboard) this.#board.addExample();
  }

  #finished() {
    const { zones, chosen } = this.#board;
    chosen.name = freshName(chosen.isLine ? "line" : "area", zones);
    this.#say(`Enter a name for the ${chosen.isLine ? "line. Objects that cross the line in the direction of the arrow count as forward." : "area."}`);
    this.#show();
    // On touchscreens, the focus would open the keyboard over the page.
    if (!isTouch()) byId("zone-name").select();
  }

  /** Updates the bar after a change of the zones or the selection. */
  #show() {
    const { zones, chosen, corner, draft } = this.#board;
    byId("zone-list").replaceChildren(make("option", { value: -1 }, zones.length ? "Select a zone" : "No zones"),
      ...zones.map(({ name }, at) => make("option", { value: at }, name)));
    byId("zone-list").value = String(zones.indexOf(chosen));
    byId("zone-area").setAttribute("aria-pressed", String(draft?.isLine === false));
    byId("zone-line").setAttribute("aria-pressed", String(draft?.isLine === true));
    const field = byId("zone-name");
    if (field.dataset.zone !== String(zones.indexOf(chosen)) || document.activeElement !== field) this.#showName();
    field.disabled = !chosen;
    byId("zone-delete").hidden = !chosen;
    byId("zone-reverse").hidden = !chosen?.isLine;
    // During a drag, the size of the bar must not change, because the video would move. So the selection of a corner only enables the
    // button.
    byId("zone-corner").hidden = !chosen || chosen.isLine;
    byId("zone-corner").disabled = corner < 0 || chosen?.points.length <= 3;
  }

  #showName() {
    const field = byId("zone-name"), { zones, chosen } = this.#board;
    field.dataset.zone = String(zones.indexOf(chosen));
    field.value = chosen?.name ?? "";
    field.setAttribute("aria-invalid", "false");
  }

  #rename() {
    const field = byId("zone-name"), { zones, chosen } = this.#board;
    const problem = nameProblem(field.value, zones.filter((zone) => zone !== chosen));
    field.setAttribute("aria-invalid", String(problem !== ""));
    this.#say(problem);
    if (!problem) this.#board.rename(field.value.trim());
  }

  async #apply() {
    if (this.#isSending || this.#board.draft && !this.#board.finish()) return;
    const field = byId("zone-name");
    if (field.getAttribute("aria-invalid") === "true") {
      field.focus();
      return;
    }
    const { zones } = this.#board, { id, name } = this.#element;
    if (this.#hasFile) {
      download("zones.json", zonesFile(zones));
      this.#board.isChanged = false;
      this.#say("On the machine that runs the pipeline, replace the zones file with the downloaded file. "
        + "The property zones-location contains the path.");
      return;
    }
    const text = zonesText(zones);
    if (isTooLong(text)) {
      this.#say("The zones have too many corners. Delete corners or zones.", true);
      return;
    }
    this.#isSending = true;
    byId("zone-apply").disabled = true;
    this.#say("…");
    try {
      await this.#connection.request({ type: "set", element: id, name: "zones", value: text });
      // The server reports the new value up to 0.1 s after its reply. The user can open the zones earlier.
      this.#follow({ element: id, name: "zones", value: text });
      if (this.#element?.id === id) this.#close();
      toast(`${name} uses ${{ 0: "no zones", 1: "1 zone" }[zones.length] ?? `${zones.length} zones`}.`, { seconds: 4 });
    } catch (error) { this.#say(`The zones have not changed. ${error.message}`, true); }
    this.#isSending = false;
    byId("zone-apply").disabled = false;
  }

  #say(text, isRefusal = false) {
    this.#status.textContent = text;
    this.#status.classList.toggle("failed", isRefusal);
  }
}

/** Lets the browser save a text as a file. */
function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => { URL.revokeObjectURL(url); }, 10000);
}
