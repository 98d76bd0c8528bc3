// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId, freshId, make, speak, toast } from "./dom.js";
import { fill } from "./slider.js";

const positions = 1000, switchWait = 2000;

/** Returns all elements with these factories, also in bins. */
const found = (elements, factories) => elements.flatMap((element) => [
  ...(factories.includes(element.factory) ? [element] : []), ...found(element.children ?? [], factories)]);

const valueOf = (object, name) => (object.properties ?? []).find((property) => property.name === name)?.value;

/** Returns the number in the name of a pad, such as 3 for sink_3. */
const numberOf = (pad) => Number(/_(\d+)$/.exec(pad.name)?.[1] ?? -1);

/**
 * The inputs of svswitch and svmixer, with thumbnails. For svswitch, the user selects the next input (the preview), and switches to
 * this input. The page requests thumbnails only while the user can see the inputs.
 */
export class Inputs {
  #connection;
  #box = byId("inputs");
  #desks = new Map();
  #asked = false;
  #isInView = false;

  constructor(connection) {
    this.#connection = connection;
    connection.addEventListener("pipeline", ({ detail }) => { this.#build(found(detail.elements ?? [], ["svswitch", "svmixer"])); });
    connection.addEventListener("property", ({ detail: { element, name, value } }) => {
      for (const desk of this.#desks.values()) desk.update(element, name, value);
    });
    connection.addEventListener("thumbnail", ({ detail: { element, jpeg } }) => {
      for (const desk of this.#desks.values()) desk.picture(element, `data:image/jpeg;base64,${jpeg}`);
    });
    connection.addEventListener("thumbnails", ({ detail }) => { this.#say(detail.on ? "" : detail.reason ?? ""); });
    connection.addEventListener("link", ({ detail }) => { if (detail !== "open") this.#asked = false; });
    document.addEventListener("visibilitychange", () => { this.#ask(); });
    new IntersectionObserver((entries) => {
      this.#isInView = entries[entries.length - 1].isIntersecting;
      this.#ask();
    }).observe(this.#box);
    // In full screen, the class `idle` hides the inputs.
    new MutationObserver(() => { this.#ask(); }).observe(byId("stage"), { attributes: true, attributeFilter: ["class"] });
  }

  #build(elements) {
    const desks = new Map();
    for (const element of elements) {
      const pads = (element.children ?? []).filter((pad) => numberOf(pad) >= 0);
      const key = JSON.stringify([element.factory, pads.map((pad) => pad.id)]), old = this.#desks.get(element.id);
      if (pads.length) desks.set(element.id, old?.key === key ? old : new Desk(element, pads, key, this.#connection));
    }
    this.#desks = desks;
    const why = byId("inputs-why");
    [...desks.values()].forEach((desk, at) => {
      if (this.#box.children[at] !== desk.node) this.#box.insertBefore(desk.node, this.#box.children[at] ?? why);
    });
    for (const node of [...this.#box.children]) {
      if (node !== why && ![...desks.values()].some((desk) => desk.node === node)) node.remove();
    }
    for (const element of elements) desks.get(element.id)?.updateAll(element);
    this.#box.hidden = desks.size === 0;
    this.#ask();
  }

  /** Requests thumbnails, or ends them. */
  #ask() {
    const wanted = this.#desks.size > 0 && this.#isInView && !document.hidden && !byId("stage").classList.contains("idle");
    if (wanted === this.#asked || this.#connection.state !== "open") return;
    this.#asked = wanted;
    this.#connection.request({ type: "thumbnails", on: wanted }).catch((error) => { if (wanted) this.#say(error.message); });
  }

  /** Shows why there are no thumbnails, and removes the old thumbnails. An empty reason means that thumbnails follow. */
  #say(reason) {
    byId("inputs-why").textContent = reason && `No thumbnails: ${reason}`;
    byId("inputs-why").hidden = !reason;
    if (reason) for (const desk of this.#desks.values()) desk.clear();
  }
}

/** The row of one mixer: a card for each input, and for svswitch the buttons Cut and Take and the fader. */
class Desk {
  #connection;
  #id;
  #isSwitch;
  #cards = new Map();
  #active = -1;
  #preview = -1;
  #position = 0;
  #fader = null;
  #buttons = [];
  #isDragged = false;
  #next = null;
  #isSending = false;
  #switched = () => {};

  constructor(element, pads, key, connection) {
    this.key = key;
    this.#connection = connection;
    this.#id = element.id;
    this.#isSwitch = element.factory === "svswitch";
    const cards = make("div", { class: "cards", role: "group", "aria-label": "Inputs" }, ...pads.map((pad) => this.#card(pad)));
    this.node = make("div", {
      class: "desk", role: "group", "data-element": element.id, "aria-label": `Inputs of ${element.name}`,
    }, cards, this.#isSwitch ? this.#controls() : null);
    if (this.#isSwitch) this.node.addEventListener("keydown", (event) => { this.#key(event); });
  }

  #card(pad) {
    const number = numberOf(pad);
    const image = make("img", { alt: "", hidden: true, draggable: "false" });
    const label = make("span", { class: "input-label" }, pad.name);
    const state = make("span", { class: "tally" });
    const parts = [make("span", { class: "input-frame" }, image, state), label];
    const node = this.#isSwitch
      ? make("button", { type: "button", class: "input", "data-input": number, "aria-pressed": "false", onclick: () => { this.#choose(number); } }, ...parts)
      : make("div", { class: "input", "data-input": number }, ...parts);
    this.#cards.set(pad.id, { node, image, label, state, number, name: pad.name });
    return node;
  }

  #controls() {
    const id = freshId("fader");
    const button = (name, title, text) => make("button", {
      type: "button", class: name === "take" ? "primary" : "plain", "data-do": name, title, onclick: () => { this.#act(name); },
    }, text);
    this.#buttons = [
      button("cut", "Show the preview at once (key C)", "Cut"), button("take", "Show the preview with the transition (key T)", "Take")];
    this.#fader = make("input", {
      type: "range", id, min: 0, max: positions, step: 1, value: 0,
      title: "Move the transition by hand, from the active input (left) to the preview (right)",
    });
    this.#fader.addEventListener("input", () => { this.#moved(); });
    this.#fader.addEventListener("pointerdown", () => { this.#isDragged = true; });
    for (const type of ["pointerup", "pointercancel", "change", "blur"]) this.#fader.addEventListener(type, () => { this.#isDragged = false; });
    return make("div", { class: "desk-controls" }, ...this.#buttons, make("label", { for: id }, "Fader"), this.#fader);
  }

  updateAll(element) {
    for (const name of ["active", "preview", "position"]) this.update(element.id, name, valueOf(element, name));
    for (const pad of element.children ?? []) this.update(pad.id, "label", valueOf(pad, "label"));
  }

  update(id, name, value) {
    const card = this.#cards.get(id);
    if (card && name === "label") {
      card.label.textContent = value || card.name;
      this.#draw();
    }
    if (id !== this.#id || !this.#isSwitch || value === undefined) return;
    if (name === "active") {
      this.#active = Number(value);
      this.#switched();
    }
    if (name === "preview") this.#preview = Number(value);
    if (name === "position") {
      this.#position = Number(value);
      if (!this.#isDragged && !this.#isSending) this.#showFader(this.#position >= 1 ? 0 : this.#position * positions);
    }
    this.#draw();
  }

  picture(id, source) {
    const card = this.#cards.get(id);
    if (!card) return;
    card.image.src = source;
    card.image.hidden = false;
  }

  clear() {
    for (const { image } of this.#cards.values()) {
      image.hidden = true;
      image.removeAttribute("src");
    }
  }

  #draw() {
    if (!this.#isSwitch) return;
    for (const { node, label, state, number } of this.#cards.values()) {
      const isOn = number === this.#active, isNext = number === this.#preview && !isOn;
      node.dataset.state = isOn ? "active" : isNext ? "preview" : "";
      node.setAttribute("aria-pressed", String(isNext));
      state.textContent = isOn ? "Active" : isNext ? "Preview" : "";
      node.setAttribute("aria-label", `${label.textContent}${isOn ? ", active" : isNext ? ", preview" : ""}`);
      node.title = isOn ? "This input is active" : `Select ${label.textContent} as the preview`;
    }
    // The buttons are never disabled, because a disabled button loses the keyboard focus.
    for (const button of this.#buttons) button.setAttribute("aria-disabled", String(!this.#canTake));
    // During a manual transition, the fader works with any preview.
    this.#fader.disabled = !this.#canTake && !this.#isDragged && Number(this.#fader.value) === 0;
  }

  get #canTake() {
    return [...this.#cards.values()].some(({ number }) => number === this.#preview && number !== this.#active);
  }

  #choose(number) { this.#set("preview", number); }

  async #set(name, value) {
    if (name === "position") this.#position = value;
    try { await this.#connection.request({ type: "set", element: this.#id, name, value }); }
    catch (error) { toast(error.message, { kind: "error" }); }
  }

  async #act(name) {
    if (!this.#canTake) return;
    try {
      const reply = await this.#connection.request({ type: "act", element: this.#id, name, arguments: [] });
      if (reply.answer === false) toast("First, select another input as the preview. The preview input must send frames.", { seconds: 4 });
      else speak(name === "cut" ? "Cut" : "Transition");
      // Cut and Take also end a manual transition, so the fader returns to the start.
      if (Number(this.#fader.value) > 0) await this.#set("position", 0);
    } catch (error) { toast(error.message, { kind: "error" }); }
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const cards = [...this.#cards.values()], at = cards.findIndex(({ node }) => node === document.activeElement);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const digit = cards.find(({ number }) => String(number) === event.key);
    const action = { t: "take", c: "cut" }[event.key.toLowerCase()];
    if (digit) this.#choose(digit.number);
    // A key that the user holds down acts only once.
    else if (action) { if (!event.repeat) this.#act(action); }
    else if (step && at >= 0) cards[(at + step + cards.length) % cards.length].node.focus();
    else return;
    event.preventDefault();
  }

  #showFader(value) {
    this.#fader.value = value;
    this.#fader.setAttribute("aria-valuetext", `${Math.round(value / positions * 100)} %`);
    fill(this.#fader);
  }

  #moved() {
    this.#showFader(this.#fader.value);
    this.#send(Number(this.#fader.value) / positions);
  }

  /** Sends the position. While a request waits for its reply, only the newest position waits. */
  async #send(position) {
    this.#next = this.#next === 1 ? 1 : position;
    if (this.#isSending) return;
    this.#isSending = true;
    // Another program has left the position at the end. svswitch then needs a return to 0 before the next transition.
    if (this.#position >= 1) await this.#set("position", 0);
    while (this.#next !== null) {
      const value = this.#next, before = this.#active;
      this.#next = null;
      await this.#set("position", value);
      if (value < 1) continue;
      // When the transition is complete, the fader returns to the start for the next transition. If the position returned earlier,
      // svswitch would cancel the transition.
      if (this.#active === before) await new Promise((resolve) => { this.#switched = resolve; setTimeout(resolve, switchWait); });
      this.#next = null;
      await this.#set("position", 0);
      this.#isDragged = false;
      this.#showFader(0);
      this.#draw();
    }
    this.#isSending = false;
  }
}
