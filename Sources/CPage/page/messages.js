// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId, make, toast } from "./dom.js";
import { number, plain, time, words } from "./format.js";
import { countNews } from "./view.js";

const drawEvery = 250, noticeEvery = 1000, keptLines = 100, keptGroups = 24, shownObjects = 30, shownFields = 12;
const boring = new Set(["timestamp", "stream-time", "running-time", "duration", "objects", "seqnum"]);

/**
 * Shows the messages of elements. Each combination of element and message name has a card with the newest message. Below the cards,
 * a list shows up to 100 notices.
 */
export class Messages {
  #groups = new Map();
  #lines = [];
  #timer = 0;
  #closeNotice = () => {};
  #next = null;
  #pause = 0;

  /** @param {Connection} connection the connection that receives the messages */
  constructor(connection) {
    connection.addEventListener("message", ({ detail }) => { this.#take(detail); });
    connection.addEventListener("pipeline", ({ detail }) => { this.#forget(detail.elements ?? []); });
    byId("tab-messages").addEventListener("shown", () => { this.#draw(); });
  }

  #take(message) {
    if (message.kind === "state") return;
    if (message.kind === "element") this.#group(message);
    else this.#line(message);
    if (!this.#timer) this.#timer = setTimeout(() => { this.#timer = 0; this.#draw(); }, drawEvery);
  }

  #group(message) {
    const fields = message.fields ?? {};
    const key = [message.element, message.name, fields.event ?? ""].join("\n");
    const group = this.#groups.get(key) ?? { count: 0, times: [] };
    this.#groups.delete(key);
    this.#groups.set(key, group);
    if (this.#groups.size > keptGroups) this.#groups.delete(this.#groups.keys().next().value);
    group.message = message;
    group.count += 1;
    group.times.push(Date.now());
    if (group.times.length > 30) group.times.shift();
  }

  #forget(elements) {
    const ids = (list) => list.flatMap((element) => [element.id, ...ids(element.children ?? [])]);
    const known = new Set(ids(elements));
    for (const [key, { message }] of this.#groups) if (!known.has(message.element)) this.#groups.delete(key);
    this.#draw();
  }

  #line(message) {
    const kind = message.kind ?? "info";
    const text = kind === "eos" ? "The stream has ended." : message.text || message.name || kind;
    const last = this.#lines[0];
    if (last && last.text === text && last.kind === kind && last.element === message.element) {
      last.count += 1;
      last.at = new Date();
    } else this.#lines.unshift({ kind, text, element: message.element, at: new Date(), count: 1 });
    if (this.#lines.length > keptLines) this.#lines.pop();
    if (kind === "error") toast(text, { kind: "error", seconds: 0 });
    else if (kind === "eos") toast(text);
    else this.#tell(text, kind);
    if (kind !== "info") countNews("messages");
  }

  /**
   * Shows a notice for 4 s (a warning for 8 s). At most one notice per second is shown. If several notices come within a second,
   * the page shows the last warning, or the last notice if there is no warning.
   */
  #tell(text, kind) {
    if (this.#next?.kind !== "warning" || kind === "warning") this.#next = { text, kind };
    if (this.#pause) return;
    const show = () => {
      this.#pause = 0;
      if (!this.#next) return;
      this.#closeNotice();
      this.#closeNotice = toast(this.#next.text, { kind: this.#next.kind, seconds: this.#next.kind === "warning" ? 8 : 4 });
      this.#next = null;
      this.#pause = setTimeout(show, noticeEvery);
    };
    show();
  }

  #draw() {
    if (byId("messages").hidden) return;
    const groups = [...this.#groups].sort(([one], [other]) => (one < other ? -1 : 1));
    byId("live").replaceChildren(...groups.map(([, group]) => card(group)));
    byId("log-empty").hidden = this.#lines.length > 0;
    byId("log").replaceChildren(...this.#lines.map((line) => make("li", { class: line.kind },
      make("time", { datetime: line.at.toISOString() }, line.at.toLocaleTimeString()),
      make("span", {}, line.text, line.count > 1 ? make("span", { class: "badge" }, `${line.count}×`) : null))));
  }
}

/** Returns the rate of messages as text, or the number of messages if the rate is low. */
function pace({ times, count }) {
  const rate = (times.length - 1) * 1000 / Math.max(1, times[times.length - 1] - times[0]);
  if (times.length > 2 && rate >= 2) return `${Math.round(rate)} per second`;
  return count === 1 ? "once" : `${count} times`;
}

/** Returns the most specific label of an object. The name of a person or a blob class replaces the label of the detector. */
function labelOf(object) {
  const text = (value) => (typeof value === "string" ? value : value?.label);
  return text(object.person) ?? text(object["blob-class"]) ?? text(object.label) ?? object.roi_type ?? object.type ?? "object";
}

function card(group) {
  const { message } = group;
  const fields = message.fields ?? {};
  const list = Array.isArray(fields.objects) ? fields.objects : null;
  const others = Object.entries(fields).filter(([name, value]) => !boring.has(name) && value !== null);
  const parts = [];
  if (list) {
    const counts = new Map();
    for (const object of list) counts.set(labelOf(object), (counts.get(labelOf(object)) ?? 0) + 1);
    const summary = [...counts].map(([label, count]) => `${count} ${label}`).join(", ");
    parts.push(make("p", { class: "counts" }, summary || "No objects"));
    const rows = list.slice(0, shownObjects).map((object) => make("li", {},
      object.id === undefined ? null : make("b", {}, String(object.id)), make("span", {}, labelOf(object)),
      make("small", {}, details(object))));
    if (rows.length) parts.push(make("ul", { class: "objects" }, ...rows));
    if (list.length > shownObjects) parts.push(make("p", { class: "empty" }, `${list.length - shownObjects} more objects`));
  }
  if (others.length) {
    parts.push(make("dl", { class: "fields" }, ...others.slice(0, shownFields).map(([name, value]) => make("div", {},
      make("dt", {}, words(name)), make("dd", {}, /time/.test(name) ? time(value) || "not set" : plain(value))))));
  } else if (!list && message.text) parts.push(make("p", {}, message.text));
  const when = fields["stream-time"] ?? fields.timestamp;
  return make("article", { class: "card", "data-element": message.element, "data-message": message.name },
    make("h2", {}, message.name || message.element, make("small", {}, pace(group))), ...parts,
    when === undefined ? null : make("p", { class: "when" }, `Stream time ${time(Math.round(Number(when) / 1e6) * 1e6)}`));
}

/** Returns the details of an object as one line: confidence in percent, further labels, and position in pixels. */
function details(object) {
  const parts = [];
  const confidence = object.confidence ?? object.detection?.confidence;
  if (typeof confidence === "number") parts.push(`${Math.round(confidence * 100)} %`);
  for (const [name, value] of Object.entries(object)) {
    const said = typeof value === "string" ? value : value?.label;
    if (typeof said === "string" && said !== labelOf(object) && !["label", "type", "roi_type"].includes(name)) parts.push(said);
  }
  if (typeof object.x === "number" && typeof object.y === "number") {
    parts.push(`x ${number(Math.round(object.x))}, y ${number(Math.round(object.y))} px`);
  }
  return parts.join(" · ");
}
