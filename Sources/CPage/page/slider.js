// SPDX-License-Identifier: LGPL-2.1-or-later
import { make } from "./dom.js";
import { noLimit, number, special, unit } from "./format.js";

const positions = 1000;
const widestLinear = 2000;
const widestSlider = 100000;

/**
 * Returns the scale of a slider. If the length of the range is at most 2000, the scale is linear. Otherwise it is cubic, with
 * smaller steps near zero (or near the minimum, if the range does not contain zero).
 * @returns {(Object|null)} `step`, `position(value)` and `value(position)`, with positions from 0 to 1000; null if the range is
 *   empty, unknown, or longer than 100000
 */
function sliderScale(property) {
  const low = Number(property.minimum), high = Number(property.maximum), whole = property.kind === "integer";
  if (property.minimum == null || property.maximum == null || !(high > low) || high - low > widestSlider) return null;
  if (high - low <= widestLinear) {
    const step = whole ? 1 : 10 ** Math.floor(Math.log10((high - low) / 100) + 1e-9);
    const digits = whole ? 0 : Math.max(0, -Math.round(Math.log10(step)));
    return {
      step,
      position: (value) => (value - low) / (high - low) * positions,
      value: (position) => {
        const exact = low + (high - low) * position / positions;
        return position <= 0 ? low : position >= positions ? high : Number((Math.round(exact / step) * step).toFixed(digits));
      },
    };
  }
  const middle = low < 0 && high > 0 ? 0 : low;
  const zero = (middle - low) / (high - low);
  const side = (position) => (position < zero ? [low - middle, zero] : [high - middle, 1 - zero]);
  return {
    step: whole ? 1 : "any",
    position: (value) => {
      const [reach] = value < middle ? [low - middle] : [high - middle];
      const share = Math.cbrt(Math.abs((value - middle) / reach));
      return positions * (value < middle ? zero - share * zero : zero + share * (1 - zero));
    },
    value: (at) => {
      const share = at / positions, [reach, room] = side(share);
      const exact = middle + reach * Math.abs((share - zero) / (room || 1)) ** 3;
      return whole ? Math.round(exact) : Number(exact.toPrecision(3));
    },
  };
}

/**
 * Colours the track of a slider between a start and the thumb. The start is `data-zero`, as a fraction of the track's length, or
 * the lower end.
 */
export function fill(range) {
  const at = (range.value - range.min) / (range.max - range.min), zero = Number(range.dataset.zero ?? 0);
  range.style.setProperty("--low", String(Math.min(at, zero)));
  range.style.setProperty("--high", String(Math.max(at, zero)));
}

/**
 * Makes a slider and a field for a number. If the range is not suitable for a slider, makes only the field.
 * @param {Object} property the property, as in the message `pipeline`
 * @param {Object} context `id` for the label, `describedby`, and `change(value, {dragging})`
 */
export function numberControl(property, context) {
  const whole = property.kind === "integer";
  const scale = sliderScale(property);
  const field = make("input", {
    type: "text", id: context.id, class: scale ? "number" : "number wide", autocomplete: "off",
    "aria-describedby": context.describedby,
    // The numeric keyboards of phones have no minus sign. So if negative values are possible, use the text keyboard.
    inputmode: Number(property.minimum) < 0 ? "text" : whole ? "numeric" : "decimal",
  });
  const names = special(property), most = noLimit(property), after = unit(property);
  const suffix = make("span", { class: "unit" }, after);
  suffix.hidden = !after;
  const commit = () => {
    const entered = field.value.trim().toLowerCase();
    const text = [...names].find(([, word]) => word === entered)?.[0] ?? entered.replace(",", ".");
    if (entered === field.dataset.shown) return;
    if (!(whole ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i).test(text)) {
      context.refuse(`“${field.value}” is not a ${whole ? "whole number" : "number"}.`);
      return;
    }
    const value = Number(text);
    context.change(whole && !Number.isSafeInteger(value) ? text.replace(/^\+/, "") : value);
  };
  field.addEventListener("change", commit);
  field.addEventListener("keydown", (event) => {
    if (!scale || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    const by = (scale.step === "any" ? 1 : scale.step) * (event.key === "ArrowUp" ? 1 : -1) * (event.shiftKey ? 10 : 1);
    const value = Math.min(Number(property.maximum), Math.max(Number(property.minimum), Number(field.value) + by));
    context.change(Number(value.toPrecision(9)));
    show(Number(value.toPrecision(9)));
  });
  let range = null;
  const show = (value) => {
    const exact = typeof value === "number" ? number(value) : value ?? "";
    // If a value is the maximum of its type, the value means "no limit". The field then shows a word such as
    // "unlimited".
    const text = most !== undefined && String(value) === most ? names.get(most) : exact;
    const word = text === exact ? names.get(String(value)) ?? after : "";
    suffix.textContent = word;
    suffix.hidden = !word;
    // While the user is typing, the typed text stays in the field, even if the value changes.
    const isTyped = document.activeElement === field && field.value !== (field.dataset.shown ?? "");
    if (!isTyped) field.value = text;
    field.dataset.shown = text;
    if (!range || text === "") return;
    range.value = scale.position(Number(value));
    range.setAttribute("aria-valuetext", word ? `${text} ${word}` : text);
    fill(range);
  };
  if (!scale) return { node: make("div", { class: "line" }, field, suffix), show };

  range = make("input", {
    type: "range", min: 0, max: positions, step: whole ? "any" : 1, id: `${context.id}-slider`, "aria-label": context.label,
    "aria-describedby": context.describedby,
  });
  if (Number(property.minimum) < 0 && Number(property.maximum) > 0) range.dataset.zero = scale.position(0) / positions;
  const mark = make("span", { class: "mark", "aria-hidden": "true" });
  mark.style.setProperty("--at", String(scale.position(Number(property.default)) / positions));
  const current = () => scale.value(Number(range.value));
  range.addEventListener("input", () => {
    const value = current();
    field.value = field.dataset.shown = number(value);
    range.setAttribute("aria-valuetext", after ? `${field.value} ${after}` : field.value);
    fill(range);
    context.change(value, { dragging: true });
  });
  range.addEventListener("change", () => { context.change(current()); });
  range.addEventListener("keydown", (event) => {
    const sign = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!sign || scale.step === "any") return;
    event.preventDefault();
    const value = Math.min(Number(property.maximum), Math.max(Number(property.minimum), Number(field.value) + sign * scale.step));
    show(Number(value.toPrecision(9)));
    context.change(Number(value.toPrecision(9)));
  });
  return { node: make("div", { class: "line" }, make("div", { class: "track" }, range, mark), field, suffix), show, holder: range };
}
