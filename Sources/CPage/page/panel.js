// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId, freshId, make } from "./dom.js";
import { words } from "./format.js";
import { actionForm, showQuickActions } from "./actions.js";
import { Faders, listsParameters } from "./faders.js";
import { PropertyRow } from "./property.js";

const shownAtFirst = 8, foldedFrom = 12, openPads = 4, fixedGroup = "read-only";

/**
 * Returns the description of an element without values, as text. If this text has not changed, the panel keeps the element's
 * section.
 */
const shape = (element) => JSON.stringify(element, (key, value) => (key === "value" ? undefined : value));

/**
 * Returns true if an element is svwebsink. The panel shows the section of svwebsink after swiftvision's other elements, and closed.
 */
const isScreen = (element) => element.factory === "svwebsink";

const isPad = (element) => /^[A-Z]/.test(element.factory ?? "");

/**
 * Returns a flat list of elements. The elements of a bin follow the bin. In each result, `inside` is the name of the bin (empty for
 * elements of the pipeline itself), and `children` contains only pads.
 */
function flattened(elements, inside = "", depth = 0) {
  return elements.flatMap((element) => {
    const children = element.children ?? [];
    const own = { ...element, inside, holds: children.some((child) => !isPad(child)), children: children.filter(isPad) };
    return [own, ...flattened(children.filter((child) => !isPad(child)), depth ? element.name : "", depth + 1)];
  });
}

/**
 * Returns the elements in the order of the panel: swiftvision's elements, svwebsink, stock elements, bins. Each group is in
 * pipeline order.
 */
function listed(elements) {
  const rank = (element) => (element.holds ? 3 : isScreen(element) ? 1 : element.ours ? 0 : 2);
  return flattened(elements).sort((one, other) => rank(one) - rank(other));
}

/** The panel. It has a section for each element of the pipeline. */
export class Panel {
  #box = byId("elements");
  #shared;
  #sections = new Map();
  #rows = new Map();
  #opened = new Map();

  /** @param {{connection: Connection, library: Library, points: PartnerPoints}} shared objects that the controls use */
  constructor(shared) {
    this.#shared = shared;
    const { connection } = shared;
    connection.addEventListener("pipeline", (event) => { this.#build(event.detail.elements ?? []); });
    connection.addEventListener("property", ({ detail: { element, name, value } }) => {
      this.#rows.get(`${element}\n${name}`)?.update(value);
    });
    byId("search").addEventListener("input", () => { this.#search(); });
    byId("search").addEventListener("keydown", (event) => {
      if (event.key === "Escape") { byId("search").value = ""; this.#search(); }
    });
  }

  /** Returns the rows of swiftvision's writable file properties that accept the kind of a file, such as an image. */
  fileRows({ kind }) {
    return [...this.#rows.values()].filter((row) =>
      row.property.kind === "file" && row.property.accepts === kind && row.isWritable && row.ours);
  }

  #build(elements) {
    const all = listed(elements);
    const sections = new Map();
    for (const element of all) {
      const old = this.#sections.get(element.id), key = shape(element);
      sections.set(element.id, old?.key === key ? this.#refreshed(old, element) : { key, ...this.#section(element) });
    }
    this.#sections = sections;
    this.#rows = new Map([...sections.values()].flatMap((section) => section.rows.map((row) => [row.key, row])));
    const nodes = [...sections.values()].map((section) => section.node);
    // If a node is moved, it loses the keyboard focus. So a node that has the right index is not moved.
    nodes.forEach((node, at) => {
      if (this.#box.children[at] !== node) this.#box.insertBefore(node, this.#box.children[at] ?? null);
    });
    while (this.#box.children.length > nodes.length) this.#box.lastElementChild.remove();
    if (!nodes.length) this.#box.append(make("p", { class: "empty" }, "The pipeline has no elements to show."));
    this.#showJumps(all.filter((element) => element.ours && !isScreen(element)));
    showQuickActions(all.filter((element) => element.ours), this.#shared.connection);
    this.#search();
  }

  /** If there are at least two elements, shows a button for each element. The button scrolls to the section of the element. */
  #showJumps(elements) {
    byId("jump").replaceChildren(...elements.map((element) => make("button", {
      type: "button", class: "jump", "data-element": element.id,
      onclick: () => {
        const { node } = this.#sections.get(element.id);
        node.open = true;
        node.scrollIntoView();
        node.querySelector("summary").focus({ preventScroll: true });
      },
    }, element.title || words(element.name))));
    byId("jump").hidden = elements.length < 2;
  }

  #refreshed(section, element) {
    const values = (each) => [
      ...(each.properties ?? []).map((property) => [`${each.id}\n${property.name}`, property.value]),
      ...(each.children ?? []).flatMap(values),
    ];
    const now = new Map(values(element));
    for (const row of section.rows) row.update(now.get(row.key));
    return section;
  }

  #section(element) {
    const rows = [];
    const count = make("span", { class: "badge", title: "Number of properties whose value is not the default" });
    const changed = () => {
      const many = rows.filter((row) => row.isWritable && row.isChanged && row.property.name !== "name").length;
      count.textContent = many ? `${many} changed` : "";
      count.hidden = !many;
    };
    const body = make("div", { class: "body" }, ...this.#content(element, rows, changed));
    const title = element.title || words(element.name);
    const name = element.inside ? `${element.name} in ${element.inside}` : element.name;
    const node = make("details", {
      class: `element ${element.ours ? "ours" : "stock"}`, "data-element": element.id, "data-factory": element.factory,
      open: this.#opened.get(element.id) ?? (element.ours === true && !isScreen(element)),
    }, make("summary", {}, make("h2", {}, title), count, make("code", {}, name)), body);
    node.addEventListener("toggle", () => { if (!byId("search").value) this.#opened.set(element.id, node.open); });
    changed();
    return { node, rows };
  }

  #content(element, rows, changed) {
    const shared = { ...this.#shared, changed };
    const properties = element.properties ?? [];
    const made = properties.map((property) => {
      const row = listsParameters(element, property) ? new Faders(element, { ...property }, shared) : new PropertyRow(element, property, shared);
      row.key = `${element.id}\n${property.name}`;
      row.ours = element.ours === true;
      row.owner = element;
      row.title = `${element.title || element.name}: ${property.nick || property.name}`;
      if (element.factory === "svfacemerge" && property.name === "partner-points" && row.isWritable) {
        row.node.append(this.#shared.points.button(element));
      }
      // Each fader has its own words for the search.
      if (row instanceof PropertyRow) row.node.dataset.words = searchWords(element, property);
      rows.push(row);
      return row;
    });
    const actions = (element.actions ?? []).map((action) => {
      const form = actionForm(element, action, this.#shared);
      form.dataset.words = [action.name, action.blurb, element.title, element.name, element.factory].join(" ").toLowerCase();
      return form;
    });
    const possible = actions.filter((form, at) => element.actions[at].enabled !== false);
    const impossible = actions.filter((form) => !possible.includes(form));
    const parts = [element.blurb ? make("p", { class: "blurb about" }, element.blurb) : null];
    if (possible.length) parts.push(make("div", { class: "actions", role: "group", "aria-label": "Actions" }, ...possible));
    const groups = grouped(made);
    if (impossible.length) groups.set(fixedGroup, groups.get(fixedGroup) ?? []);
    for (const [group, members] of groups) {
      if (!group) parts.push(...foldedRows(members));
      else {
        const nodes = [...members.map((row) => row.node), ...(group === fixedGroup ? impossible : [])];
        parts.push(make("details", { class: "group" },
          make("summary", {}, make("h3", {}, groupTitle(group)), make("small", {}, String(nodes.length))), ...nodes));
      }
    }
    const pads = element.children ?? [];
    if (!made.length && !actions.length && !pads.length) parts.push(make("p", { class: "empty" }, "This element has no properties."));
    for (const pad of pads) {
      parts.push(make("details", { class: "pad", "data-element": pad.id, open: element.ours === true && pads.length <= openPads },
        make("summary", {}, make("h3", {}, pad.name)), ...this.#content({ ...pad, title: "", blurb: "" }, rows, changed)));
    }
    return parts.filter(Boolean);
  }

  #search() {
    const asked = byId("search").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    this.#box.classList.toggle("searching", asked.length > 0);
    let found = 0;
    for (const node of this.#box.querySelectorAll("[data-words]")) {
      const hit = asked.every((word) => node.dataset.words.includes(word));
      node.classList.toggle("missed", !hit);
      if (hit) found += 1;
    }
    for (const section of this.#box.querySelectorAll("details")) {
      const hit = section.querySelector("[data-words]:not(.missed)") !== null;
      section.classList.toggle("missed", asked.length > 0 && !hit);
      if (asked.length) { section.dataset.was ??= section.open ? "open" : "closed"; section.open = hit; }
      else if (section.dataset.was) { section.open = section.dataset.was === "open"; delete section.dataset.was; }
    }
    const result = found === 0 ? "No control matches." : found === 1 ? "1 control" : `${found} controls`;
    byId("search-result").textContent = asked.length ? result : "";
  }
}

/** Returns the words by which the search finds a property. */
const searchWords = (element, property) => [property.nick, property.name, property.blurb, element.title, element.name,
  element.factory, ...(property.choices ?? []).map((choice) => choice.nick)].join(" ").toLowerCase();

/** Returns the title of a group. For a GStreamer class, the prefix is removed: GstBaseTransform becomes "Base transform". */
function groupTitle(group) {
  if (group === fixedGroup) return "Read-only";
  return words(/^Gst[A-Z]/.test(group) ? group.slice(3).replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase() : group);
}

/** Groups rows by the group of their property. Rows without a group come first, and read-only rows come last. */
function grouped(rows) {
  const groups = new Map([["", []]]);
  const add = (name, row) => { groups.set(name, [...(groups.get(name) ?? []), row]); };
  for (const row of rows.filter((each) => each.isWritable || each.isStatus)) add(row.property.group ?? "", row);
  const fixed = rows.filter((each) => !each.isWritable && !each.isStatus);
  const few = rows.length < foldedFrom && fixed.length < 4;
  for (const row of fixed) add(few ? "" : fixedGroup, row);
  return groups;
}

/** Returns the nodes of rows. If there are many rows, shows only the first 8 rows and changed rows. A button shows the others. */
function foldedRows(rows) {
  if (rows.length < foldedFrom) return rows.map((row) => row.node);
  const rest = rows.filter((row, at) => at >= shownAtFirst && !row.isChanged).map((row) => row.node);
  if (rest.length < 3) return rows.map((row) => row.node);
  const id = freshId("more");
  const box = make("div", { id, class: "more" });
  const text = (open) => (open ? "Show fewer" : `Show ${rest.length} more`);
  const button = make("button", {
    type: "button", class: "plain more-button", "aria-expanded": "false", "aria-controls": id,
    onclick: () => {
      const open = box.classList.toggle("open");
      button.setAttribute("aria-expanded", String(open));
      button.textContent = text(open);
    },
  }, text(false));
  box.append(...rest);
  return [...rows.filter((row) => !rest.includes(row.node)).map((row) => row.node), box, button];
}
