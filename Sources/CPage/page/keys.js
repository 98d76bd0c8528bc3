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
 * The X keysym's name of a key, as GStreamer's windows send it.
 * @param {string} key as `KeyboardEvent.key` has it
 * @returns {(string|null)} null for keys that are not sent: Tab, which moves the focus, and those that only change others
 */
export function keysym(key) {
  if (Object.hasOwn(named, key)) return named[key];
  if (/^[0-9A-Za-z]$/.test(key) || /^F\d{1,2}$/.test(key)) return key;
  if ([...key].length === 1) return `U${key.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  return null;
}

/**
 * The keys that an element listens to, as its property `keys` tells in words: "(c x b)" or "the key l".
 * @param {Object} element as the message `pipeline` has it
 * @returns {string[]} the characters
 */
export function declaredKeys(element) {
  const property = element.properties.find((candidate) => candidate.name === "keys" && candidate.kind === "boolean");
  if (!property || property.value === false) return [];
  const list = /\(([^()]+)\)/.exec(property.blurb ?? "");
  if (list) return list[1].split(/\s+/).filter((key) => [...key].length === 1 || key === "space");
  const single = /\bkey (\S)\b/.exec(property.blurb ?? "");
  return single ? [single[1]] : [];
}
