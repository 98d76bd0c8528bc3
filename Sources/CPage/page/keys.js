// SPDX-License-Identifier: LGPL-2.1-or-later

const named = {
  " ": "space", Enter: "Return", Escape: "Escape", Backspace: "BackSpace", Delete: "Delete", Insert: "Insert",
  Home: "Home", End: "End", PageUp: "Page_Up", PageDown: "Page_Down",
  ArrowLeft: "Left", ArrowRight: "Right", ArrowUp: "Up", ArrowDown: "Down",
  "!": "exclam", "\"": "quotedbl", "#": "numbersign", "$": "dollar", "%": "percent", "&": "ampersand", "'": "apostrophe",
  "(": "parenleft", ")": "parenright", "*": "asterisk", "+": "plus", ",": "comma", "-": "minus", ".": "period", "/": "slash",
  ":": "colon", ";": "semicolon", "<": "less", "=": "equal", ">": "greater", "?": "question", "@": "at", "[": "bracketleft",
  "\\": "backslash", "]": "bracketright", "^": "asciicircum", "_": "underscore", "`": "grave", "{": "braceleft", "|": "bar",
  "}": "braceright", "~": "asciitilde",
};

/**
 * Returns the X keysym name of a key. GStreamer's video windows send the same names.
 * @param {string} key the key, as in `KeyboardEvent.key`
 * @returns {(string|null)} null for keys that the page does not send: Tab (moves the focus), modifier keys, and unknown keys
 */
export function keysym(key) {
  if (Object.hasOwn(named, key)) return named[key];
  if (/^[0-9A-Za-z]$/.test(key) || /^F\d{1,2}$/.test(key)) return key;
  if ([...key].length === 1) return `U${key.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  return null;
}

// For each element factory, the keys for which the page shows buttons, and the texts of the buttons. Keys that call an
// action without arguments are missing, because each such action already has a button.
const labels = {
  svblend: { s: "Save frame", m: "Next mode", M: "Previous mode", "+": "Opacity up", "-": "Opacity down" },
  svblobclassify: { l: "Learn object" },
  svfacemerge: { 1: "Choose face 1", 2: "Choose face 2", s: "Save merged face" },
  svfacerecognize: { c: "Collect faces", s: "Save people" },
  svswitch: { t: "Next transition" },
};

/**
 * Returns the keys of an element for which the page shows buttons.
 * @param {Object} element the element, as in the message `pipeline`
 * @returns {{key: string, label: string}[]} the character of each key, and the text of its button
 */
export function labelledKeys(element) {
  const property = element.properties.find((candidate) => candidate.name === "keys" && candidate.kind === "boolean");
  if (!property || property.value === false) return [];
  return Object.entries(labels[element.factory] ?? {}).map(([key, label]) => ({ key, label }));
}
