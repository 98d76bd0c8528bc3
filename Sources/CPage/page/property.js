// SPDX-License-Identifier: LGPL-2.1-or-later
import { freshId, icon, make } from "./dom.js";
import { shown, words } from "./format.js";
import { makeControl, onlyShown, refined } from "./controls.js";

const refusalShown = 20000;
/** Returns a text that is the same for equal values. An empty string equals null, and the order of flags does not matter. */
const canonical = (value) => JSON.stringify(Array.isArray(value) ? [...value].sort() : value === "" ? null : value ?? null);
const same = (one, other) => canonical(one) === canonical(other);

/** Returns the blurb of a property without the unit or byte order, which are wrong for the text in the control. */
function meaningOf({ kind, blurb }) {
  if (kind === "color") return blurb?.replace(/ \((big-endian )?ARGB\)$/, "");
  if (kind !== "time") return blurb;
  return blurb?.replace(/,? in nanoseconds\b/, "").replace(/ \(in ns\)/, "").replace("(in ns, ", "(");
}

/**
 * A row of the panel for a property. It has a name, a control, a description, a reset button, and the reason for a refused value.
 */
export class PropertyRow {
  /** The node of the row. */
  node;
  /** The property, as in the message `pipeline`. `value` is the current value. */
  property;
  #element;
  #connection;
  #control;
  #reset;
  #refusal;
  #sending = false;
  #pending = null;
  #dragging = false;
  #changed;
  #timer = 0;

  /**
   * @param {Object} element the element that has the property
   * @param {Object} property the property, as in the message `pipeline`
   * @param {Object} shared `connection`, `library`, and `changed(row)`, which is called when the value may have changed
   */
  constructor(element, property, { connection, library, changed }) {
    this.property = property = refined(property);
    this.#element = element;
    this.#connection = connection;
    this.#changed = changed;
    const id = freshId("p"), label = property.nick || words(property.name);
    const writable = this.isWritable;
    const meaning = meaningOf(property);
    const blurb = meaning ? make("p", { class: "blurb", id: `${id}-blurb` }, meaning) : null;
    this.#refusal = make("p", { class: "refusal", id: `${id}-refusal`, role: "alert" });
    this.#control = makeControl(this.property, {
      id, label, library, describedby: blurb ? `${id}-blurb` : undefined,
      change: (value, options) => { this.#change(value, options); },
      refuse: (reason) => { this.#refuse(reason); },
    });
    this.#reset = make("button", {
      type: "button", class: "icon reset", title: `Reset to the default (${shown(property.default, property)})`,
      "aria-label": `Reset ${label} to the default (${shown(property.default, property)})`, onclick: () => { this.#toDefault(); },
    }, icon("reset"));
    const name = words(property.name).toLowerCase() === label.toLowerCase() ? null : make("code", {}, property.name);
    const group = this.#control.group;
    const title = make(group ? "span" : "label", {
      class: "nick", id: `${id}-label`, for: group ? null : id, title: property.name,
    }, label);
    if (group) group.setAttribute("aria-labelledby", `${id}-label`);
    this.node = make("div", {
      class: `property ${this.#control.beside ? "beside" : ""} ${writable ? "" : "still"}`.trim(), "data-element": element.id,
      "data-property": property.name, "data-kind": property.kind,
    }, make("div", { class: "head" }, title, name, writable ? this.#reset : make("span", { class: "lock" }, "read-only"), this.#control.beside ? this.#control.node : null),
    blurb, this.#control.beside ? null : make("div", { class: "control" }, this.#control.node), this.#refusal);
    const holder = this.#control.holder;
    holder?.addEventListener("pointerup", () => { this.#drop(); });
    holder?.addEventListener("pointercancel", () => { this.#drop(); });
    this.#show();
  }

  /** True if the page can set the property. */
  get isWritable() { return this.property.writable !== false && this.property.kind !== "other"; }

  /**
   * True if the property shows a status of the element, such as `phase`. Such properties are read-only, but appear among the
   * controls.
   */
  get isStatus() { return !this.isWritable && this.property.kind !== "other" && onlyShown.test(this.property.reason ?? ""); }

  /** True if the value differs from the default. */
  get isChanged() { return !same(this.property.value, this.property.default); }

  /** Stores a new value that this page or another program has set. Shows the value, unless the user is dragging. */
  update(value) {
    this.property.value = value;
    if (!this.#sending && !this.#dragging) this.#show();
    this.#mark();
  }

  /** Sets a value, as if the user had chosen it in this row. */
  set(value) { this.#change(value); }

  #show() {
    this.#control.show(this.property.value);
    this.#mark();
  }

  #mark() {
    this.node.classList.toggle("changed", this.isChanged);
    this.#reset.classList.toggle("idle", !this.isChanged);
    this.#reset.disabled = !this.isChanged;
    this.#changed?.(this);
  }

  #drop() {
    this.#dragging = false;
    if (!this.#sending) this.#show();
  }

  #change(value, { dragging = false } = {}) {
    this.#dragging = dragging;
    this.#pending = { type: "set", value };
    this.#work();
  }

  #toDefault() {
    this.#pending = { type: "reset", value: this.property.default };
    this.#work();
  }

  /**
   * Sends one value at a time, so that a slider does not send faster than the pipeline answers. If the user sets several values
   * during a request, the page sends only the last value.
   */
  async #work() {
    if (this.#sending) return;
    this.#sending = true;
    while (this.#pending) {
      const { type, value } = this.#pending;
      this.#pending = null;
      const before = this.property.value;
      try {
        const message = { type, element: this.#element.id, name: this.property.name };
        await this.#connection.request(type === "set" ? { ...message, value } : message);
        // If the element has corrected the value, the message `property` has already stored the corrected value. Do not
        // overwrite the corrected value.
        if (same(this.property.value, before)) this.property.value = this.property.secret && value ? "hidden" : value;
        this.#clearRefusal();
      } catch (error) {
        this.#refuse(error.message);
      }
    }
    this.#sending = false;
    if (this.#dragging) this.#mark();
    else this.#show();
  }

  #refuse(reason) {
    this.#refusal.textContent = reason;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => { this.#clearRefusal(); }, refusalShown);
    this.node.classList.add("refused");
    for (const input of this.node.querySelectorAll("[data-shown]")) input.value = input.dataset.shown;
    if (!this.#sending && !this.#dragging) this.#show();
  }

  #clearRefusal() {
    this.#refusal.textContent = "";
    this.node.classList.remove("refused");
  }
}
