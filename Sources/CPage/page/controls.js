// SPDX-License-Identifier: LGPL-2.1-or-later
import { icon, make } from "./dom.js";
import { noLimit, parseTime, shown, special, timeText, wholeValue } from "./format.js";
import { fileControl } from "./filecontrol.js";
import { fill, numberControl } from "./slider.js";

const mostSegments = 4, segmentLetters = 30;

/** Matches the reason of a property that is always read-only. The page then shows "read-only" without the reason. */
export const onlyShown = /only shown|^(it is )?read-only\.?$/i;

/**
 * Returns a copy of a property. Stock elements declare colours and times as integers. If the blurb or the name shows that the
 * property is a colour or a time, the copy has the kind "color" or "time".
 * @param {Object} property the property, as in the message `pipeline`
 */
export function refined(property) {
  if (property.kind !== "integer") return { ...property };
  const most = Number(property.maximum), blurb = property.blurb ?? "";
  if (most === 0xffffffff && /\bARGB\b/.test(blurb)) return { ...property, kind: "color", isNumber: true };
  // GStreamer's times are 64-bit integers. If the maximum is smaller than 2^53, the property is not a time.
  const isTime = /\b(nanoseconds|ns)\b/.test(blurb) || /(^|-)(time|latency|delay|deadline|duration|lateness)$/.test(property.name);
  if (most >= 2 ** 53 && isTime) return { ...property, kind: "time" };
  return { ...property };
}

/**
 * Makes the control for a property or an argument of an action.
 * @param {Object} property the property, as in the message `pipeline`
 * @param {Object} context `id`: the id of the control, which the label refers to. `label`: the text of the label. `describedby`.
 *   `change(value, {dragging})`: called when the user sets a value. `refuse(reason)`: called when the user types an invalid value.
 *   `library`: lists the uploaded files
 * @returns {{node: Element, show: function(*): void}} `show` puts a value into the control. If the control has several inputs,
 *   `group` is the node around them. The caller then sets `aria-labelledby` or `aria-label` of the group
 */
export function makeControl(property, context) {
  if (property.writable === false) return readOnly(property, context);
  switch (property.kind) {
    case "boolean": return switchControl(property, context);
    case "integer": return isHandful(property) ? segments(counted(property), context, Number) : numberControl(property, context);
    case "number": return numberControl(property, context);
    case "choice": return isShort(property.choices) ? segments(property, context) : list(property, context);
    case "flags": return flags(property, context);
    case "text": return property.secret ? secret(property, context) : text(property, context);
    case "time": return timeControl(property, context);
    case "color": return color(property, context);
    case "file": case "folder": return fileControl(property, context);
    default: return readOnly(property, context);
  }
}

function readOnly(property, context) {
  const value = make("output", { id: context.id, class: "fixed" });
  const isGiven = property.reason && !onlyShown.test(property.reason);
  const reason = isGiven ? make("p", { class: "reason" }, sentence(property.reason)) : null;
  return {
    node: make("div", {}, value, reason),
    show: (current) => { value.textContent = property.secret && current ? "hidden" : shown(current, property); },
  };
}

/** Returns the server's reason as a sentence with a capital letter and a full stop. */
const sentence = (reason) => `${reason.charAt(0).toUpperCase()}${reason.slice(1).replace(/\.$/, "")}.`;

function switchControl(property, context) {
  const box = make("input", {
    type: "checkbox", role: "switch", id: context.id, class: "switch", "aria-describedby": context.describedby,
  });
  box.addEventListener("change", () => { context.change(box.checked); });
  return { node: box, beside: true, show: (value) => { box.checked = value === true; } };
}

const isShort = (choices = []) =>
  choices.length <= mostSegments && choices.map((choice) => choice.nick).join("").length <= segmentLetters;

/** Returns true if an integer property has 2 to 4 possible values. Each value then gets a button. */
const isHandful = ({ minimum, maximum }) => maximum - minimum > 0 && maximum - minimum < mostSegments;

const counted = ({ minimum, maximum }) => ({
  choices: Array.from({ length: maximum - minimum + 1 }, (_, at) => ({ nick: String(Number(minimum) + at), blurb: "" })),
});

/**
 * Returns the description of a choice. Returns an empty string if the description is only the nick or a C constant, as in stock
 * elements.
 */
const meaning = (choice) =>
  (choice && choice.blurb !== choice.nick && !/^[A-Z0-9_]+$/.test(choice.blurb ?? "") ? choice.blurb : "");

function segments(property, context, read = (nick) => nick) {
  const box = make("div", { class: "segments", role: "radiogroup", "aria-describedby": context.describedby });
  const blurb = make("p", { class: "chosen" });
  for (const choice of property.choices) {
    const id = `${context.id}-${choice.nick}`;
    const input = make("input", { type: "radio", name: context.id, id, value: choice.nick, class: "unseen" });
    input.addEventListener("change", () => { tell(choice.nick); context.change(read(choice.nick)); });
    box.append(input, make("label", { for: id, title: meaning(choice) || null }, choice.nick));
  }
  const tell = (nick) => { blurb.textContent = meaning(property.choices.find((choice) => choice.nick === nick)); };
  return {
    node: make("div", {}, box, blurb), group: box,
    show: (value) => {
      for (const input of box.querySelectorAll("input")) input.checked = input.value === String(value);
      tell(String(value));
    },
  };
}

function list(property, context) {
  const select = make("select", { id: context.id, "aria-describedby": `${context.id}-chosen ${context.describedby ?? ""}`.trim() });
  const blurb = make("p", { class: "chosen", id: `${context.id}-chosen` });
  for (const choice of property.choices) {
    select.append(make("option", { value: choice.nick, title: meaning(choice) || null }, choice.nick));
  }
  const tell = () => { blurb.textContent = meaning(property.choices[select.selectedIndex]); };
  const choose = () => { tell(); context.change(select.value); };
  select.addEventListener("change", choose);
  const step = (by, name, title) => make("button", {
    type: "button", class: "icon", title, "aria-label": `${title}: ${context.label}`, "data-step": name,
    onclick: () => {
      select.selectedIndex = (select.selectedIndex + by + select.options.length) % select.options.length;
      choose();
    },
  }, icon(name));
  return {
    node: make("div", {},
      make("div", { class: "line tight" }, step(-1, "previous", "Previous"), select, step(1, "next", "Next")), blurb),
    show: (value) => { select.value = value; tell(); },
  };
}

function flags(property, context) {
  const box = make("div", { class: "flags", role: "group", "aria-describedby": context.describedby });
  const inputs = (property.choices ?? []).map((choice) => {
    const id = `${context.id}-${choice.nick}`;
    const input = make("input", { type: "checkbox", id, value: choice.nick });
    input.addEventListener("change", () => { context.change(inputs.filter((each) => each.checked).map((each) => each.value)); });
    box.append(make("label", { for: id, title: choice.blurb }, input, choice.nick));
    return input;
  });
  return {
    node: box, group: box,
    show: (value) => { for (const input of inputs) input.checked = Array.isArray(value) && value.includes(input.value); },
  };
}

/**
 * Sets up a text field. If the user presses Enter or the field loses the focus (event `change`), `read` gets the text. Escape
 * restores the shown value.
 * @returns {function(string): void} shows a value, unless the user is typing
 */
function typed(input, context, read) {
  const commit = () => {
    if (input.value === (input.dataset.shown ?? "")) return;
    read(input.value);
  };
  input.addEventListener("change", commit);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { input.value = input.dataset.shown ?? ""; }
  });
  return (value) => {
    const untouched = input.value === (input.dataset.shown ?? "");
    input.dataset.shown = value;
    if (document.activeElement !== input || untouched) input.value = value;
  };
}

function text(property, context) {
  const input = make("input", {
    type: "text", id: context.id, autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "none",
    "aria-describedby": context.describedby,
  });
  const put = typed(input, context, (value) => { context.change(value); });
  return { node: input, show: (value) => { put(value ?? ""); } };
}

/** Makes a field for a secret, such as a password. The server only reports whether the secret is set, not its value. */
function secret(property, context) {
  const input = make("input", {
    type: "password", id: context.id, autocomplete: "new-password", "aria-describedby": context.describedby,
  });
  input.addEventListener("change", () => {
    context.change(input.value);
    input.value = "";
  });
  return { node: input, show: (value) => { input.placeholder = value ? "hidden" : "none"; } };
}

function timeControl(property, context) {
  const input = make("input", {
    type: "text", id: context.id, class: "number long", autocomplete: "off", spellcheck: "false", placeholder: "not set",
    "aria-describedby": `${context.id}-hint ${context.describedby ?? ""}`.trim(),
  });
  const hint = make("span", { class: "hint", id: `${context.id}-hint` }, "For example 500 ms, 2 s");
  const put = typed(input, context, (value) => {
    const word = value.trim().toLowerCase();
    const most = noLimit(property);
    const named = word === "" && String(property.default) === most ? most
      : [...special(property)].find(([, each]) => each === word)?.[0];
    const ns = named === undefined ? parseTime(value) : BigInt(named);
    if (ns === null) context.refuse(`“${value}” is not a time. Write a time as 500 ms, 2 s or 1.5 min.`);
    else context.change(wholeValue(ns));
  });
  return { node: make("div", { class: "line" }, input, hint), show: (value) => { put(timeText(value ?? 0, property)); } };
}

function color(property, context) {
  const well = make("input", { type: "color", id: context.id, "aria-describedby": context.describedby });
  const alpha = make("input", { type: "range", min: 0, max: 255, step: 1, "aria-label": `${context.label}: alpha` });
  const code = make("input", {
    type: "text", class: "number long", maxlength: 10, autocomplete: "off", spellcheck: "false",
    "aria-label": `${context.label}: alpha, red, green, blue in hexadecimal`,
  });
  const two = (value) => Number(value).toString(16).padStart(2, "0");
  const value = () => `#${two(alpha.value)}${well.value.slice(1)}`;
  const send = (code, options) => { context.change(property.isNumber ? parseInt(code.slice(1), 16) : code, options); };
  const moved = (dragging) => () => {
    code.value = code.dataset.shown = value();
    fill(alpha);
    alpha.setAttribute("aria-valuetext", `${Math.round(alpha.value / 2.55)} %`);
    send(value(), { dragging });
  };
  for (const input of [well, alpha]) {
    input.addEventListener("input", moved(true));
    input.addEventListener("change", moved(false));
  }
  const put = typed(code, context, (entered) => {
    const match = /^(?:#|0x)?([0-9a-f]{2})?([0-9a-f]{6})$/i.exec(entered.trim());
    if (!match) { context.refuse(`“${entered}” is not a colour. Write a colour as #AARRGGBB.`); return; }
    send(`#${match[1] ?? "ff"}${match[2]}`.toLowerCase());
  });
  return {
    node: make("div", { class: "line color" }, well, make("div", { class: "track" }, alpha), code), holder: alpha,
    show: (shown) => {
      const code = typeof shown === "number" ? `#${shown.toString(16).padStart(8, "0")}` : shown;
      const match = /^#([0-9a-f]{2})([0-9a-f]{6})$/i.exec(code ?? "");
      if (!match) return;
      well.value = `#${match[2].toLowerCase()}`;
      alpha.value = parseInt(match[1], 16);
      alpha.setAttribute("aria-valuetext", `${Math.round(alpha.value / 2.55)} %`);
      fill(alpha);
      put(`#${match[1]}${match[2]}`.toLowerCase());
    },
  };
}
