// SPDX-License-Identifier: LGPL-2.1-or-later
import { freshId, make } from "./dom.js";
import { words } from "./format.js";
import { PropertyRow } from "./property.js";

const setter = "set-parameter";
/** Units of parameters as the blurb of a property names them, so that the sliders show the units. */
const units = { px: "in pixels", degrees: "in degrees" };

/** Returns true if a property lists the parameters of a filter chain, and the page may set these parameters. */
export const listsParameters = (element, property) => element.factory === "svfilter" && property.name === "parameters"
  && (element.actions ?? []).some((action) => action.name === setter && action.enabled !== false);

/** Reads the value of svfilter's property `parameters`. Returns an empty list for a chain without filters. */
function readFilters(text) {
  let filters = [];
  try { filters = JSON.parse(text || "[]"); } catch { /* malformed: no faders */ }
  return Array.isArray(filters) ? filters : [];
}

/** Returns a parameter as a property in the message `pipeline`. */
function asProperty(path, { name, value, default: initial, minimum, maximum, integer, unit, blurb }) {
  const text = [`${blurb.charAt(0).toUpperCase()}${blurb.slice(1)}`, units[unit] ?? (unit && `in ${unit}`)].filter(Boolean).join(", ");
  return {
    name: `${path}.${name}`, nick: words(name), kind: integer ? "integer" : "number", value, default: initial, minimum, maximum,
    blurb: text, writable: true,
  };
}

/**
 * The faders of svfilter: a slider for each numeric parameter of the filter chain. The panel handles the faders like the row of the
 * property `parameters`, whose value lists the parameters.
 */
export class Faders {
  node = make("div", { class: "faders", role: "group", "aria-label": "Filters" });
  property;
  isWritable = false;
  isStatus = true;
  isChanged = false;
  #element;
  #shared;
  #shape = "";
  #rows = new Map();
  #notes = new Map();

  /**
   * @param {Object} element the element, as in the message `pipeline`
   * @param {Object} property the property `parameters`
   * @param {Object} shared `connection` and `library`, as for `PropertyRow`
   */
  constructor(element, property, { connection, library }) {
    this.property = property;
    this.#element = element;
    this.#shared = {
      library,
      // The rows set parameters as if the parameters were properties.
      connection: {
        request: async ({ type, name, value }) => {
          const number = type === "reset" ? this.#rows.get(name).property.default : value;
          const reply = await connection.request({ type: "act", element: element.id, name: setter, arguments: [name, number] });
          if (reply.answer === false) throw new Error("svfilter has refused the value. The reason is in Messages.");
          return reply;
        },
      },
    };
    this.update(property.value);
  }

  /** Shows a new list. If only values have changed, the sliders stay in the document and keep the focus. */
  update(text) {
    this.property.value = text;
    const filters = readFilters(text);
    const shape = JSON.stringify(filters, (key, value) => (["value", "fade"].includes(key) ? undefined : value));
    if (shape !== this.#shape) this.#build(filters);
    this.#shape = shape;
    for (const { path, parameters } of filters) {
      for (const { name, value, fade } of parameters) {
        this.#rows.get(`${path}.${name}`).update(value);
        this.#notes.get(`${path}.${name}`).textContent = fade ? `The value fades: ${fade}. A change ends the fade.` : "";
      }
    }
  }

  #build(filters) {
    [this.#rows, this.#notes] = [new Map(), new Map()];
    this.node.hidden = filters.length === 0;
    this.node.replaceChildren(...filters.map(({ path, filter, blurb, parameters }) => {
      const id = freshId("filter");
      const rows = parameters.map((parameter) => {
        const property = asProperty(path, parameter);
        const row = new PropertyRow(this.#element, property, this.#shared);
        row.node.dataset.words = [property.name, property.blurb, this.#element.title, this.#element.name].join(" ").toLowerCase();
        const note = make("p", { class: "blurb" });
        row.node.append(note);
        this.#rows.set(property.name, row);
        this.#notes.set(property.name, note);
        return row.node;
      });
      return make("div", { class: "fader-group", role: "group", "aria-labelledby": id },
        make("h3", { id, title: blurb }, words(filter), path === filter ? null : make("small", {}, ` ${path.slice(filter.length)}`)), ...rows);
    }));
  }
}
