// SPDX-License-Identifier: LGPL-2.1-or-later

/** 2^64 - 1. GStreamer uses this value for "no time" and "no limit". */
const noTime = 18446744073709551615n;
const typeMaxima = ["2147483647", "4294967295", "9223372036854775807", String(noTime)];

const units = { ns: 1n, µs: 1000n, ms: 1000000n, s: 1000000000n, min: 60000000000n, h: 3600000000000n };
// Pairs of a unit and a limit in ns. The function `time` uses the first unit whose limit is greater than the time.
const limits = [["ns", units.µs], ["µs", units.ms], ["ms", units.s], ["s", 2n * units.min], ["min", 2n * units.h]];

/** Returns a time in nanoseconds as text with a suitable unit, such as "1.5 s". `value` is a number or a string of digits. */
export function time(value) {
  if (!/^-?\d+(\.\d+)?$/.test(String(value))) return String(value ?? "");
  const ns = BigInt(Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER ? Math.round(Number(value)) : value);
  if (ns === noTime) return "";
  const size = ns < 0n ? -ns : ns;
  const unit = size === 0n ? "s" : limits.find(([, limit]) => size < limit)?.[0] ?? "h";
  const whole = size / units[unit];
  const rest = (size % units[unit]) * 1000000000n / units[unit];
  const digits = rest.toString().padStart(9, "0").replace(/0+$/, "");
  return `${ns < 0n ? "-" : ""}${whole}${digits ? `.${digits}` : ""} ${unit}`;
}

/**
 * Parses a time that the user typed, such as "2", "1.5 s", "500ms" or "3 min". A number without a unit is a number of seconds.
 * @returns {(bigint|null)} nanoseconds; null if the text is not a time
 */
export function parseTime(text) {
  const match = /^\s*(-?)(\d*)(?:[.,](\d*))?\s*(ns|us|µs|ms|s|sec|min|m|h)?\s*$/.exec(text);
  if (!match || (!match[2] && !match[3])) return null;
  const unit = { us: "µs", sec: "s", m: "min" }[match[4]] ?? match[4] ?? "s";
  const fraction = (match[3] ?? "").slice(0, 15);
  const ns = BigInt(match[2] || "0") * units[unit] + BigInt(fraction || "0") * units[unit] / 10n ** BigInt(fraction.length);
  return match[1] ? -ns : ns;
}

/** Returns an integer as the protocol needs it: a number, or a string of digits if the absolute value is 2^53 or more. */
export const wholeValue = (big) => (Number.isSafeInteger(Number(big)) ? Number(big) : big.toString());

/** Returns a byte count as text, such as "1.4 MB". */
export function bytes(count) {
  if (!(count >= 1000)) return `${count || 0} B`;
  const names = ["kB", "MB", "GB", "TB"];
  let value = count / 1000, at = 0;
  while (value >= 999.5 && at < names.length - 1) { value /= 1000; at += 1; }
  return `${value >= 10 ? Math.round(value) : value.toFixed(1)} ${names[at]}`;
}

/** Returns a duration in seconds as text, such as "1:05". From one hour, the text has hours: "1:02:05". */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds || 0));
  const two = (number) => String(number).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** Returns a number as text without trailing zeros. Numbers that are not integers get up to six significant digits. */
export const number = (value) => (Number.isInteger(value) ? String(value) : String(Number(Number(value).toPrecision(6))));

/**
 * Returns, as text, the value of a property that means "no limit": the maximum of its type. Returns undefined if no value means
 * this.
 */
export function noLimit({ name = "", blurb = "", maximum }) {
  const most = String(maximum);
  if (most === String(noTime)) return most;
  return typeMaxima.includes(most) && /\b(max|maximum|most|limit|longest|largest)\b/i.test(`${name} ${blurb}`) ? most : undefined;
}

/**
 * Returns the special values of a property with their words, such as "unlimited". They come from the blurb ("-1 = unlimited") and
 * from `noLimit`.
 */
export function special(property) {
  const found = new Map();
  for (const [, value, word] of (property.blurb ?? "").matchAll(/[(,;] *(-?\d+) *(?:= *|(?=unlimited))([a-z][a-z -]{1,13})(?=[,;)])/gi)) {
    found.set(value, word.toLowerCase().replace(/^disable$/, "disabled"));
  }
  const most = noLimit(property);
  if (most === undefined || found.has(most)) return found;
  const isPlace = /(^|-)(start|stop|offset|position|timestamp)\b/.test(property.name);
  return found.set(most, isPlace ? "not set" : property.name === "latency" ? "automatic" : "unlimited");
}

/** Returns the unit of a numeric property, as its blurb or name says. Returns an empty string if neither contains a unit. */
export function unit({ kind, name = "", blurb = "" }) {
  if (kind !== "integer" && kind !== "number") return "";
  const units = [
    [/\b(kbit\/s(ec)?|kbits? per second)\b/i, "kbit/s"], [/\b(bit\/s(ec)?|bits? (per|a) second)\b/i, "bit/s"],
    [/\bframes (per|a) second\b/i, "fps"], [/\bpixels per frame\b/i, "px/frame"], [/\b(in|of) (bytes|pixels)\b/i, null], [/\((bytes|pixels)\b/i, null],
    [/\b(in|of) degrees\b/i, "°"], [/\b(in|of) (milliseconds|ms)\b/i, "ms"], [/\b(in|of) (microseconds|us|µs)\b/i, "µs"],
    [/\b(in|of) (nanoseconds|ns)\b/i, "ns"], [/\b(in|of) seconds\b/i, "s"], [/\b(in|of) (percent|per cent)\b/i, "%"],
  ];
  for (const [pattern, text] of units) {
    const match = pattern.exec(blurb);
    if (match) return text ?? (/pixels/i.test(match[0]) ? "px" : "bytes");
  }
  if (/(^|-)bytes$/.test(name)) return "bytes";
  return /(^|-)buffers$/.test(name) ? "buffers" : "";
}

/** Returns a time in nanoseconds as text. For special values, returns their word, such as "unlimited". */
export const timeText = (value, property) => special(property).get(String(value)) ?? time(value);

/** Returns a name from the pipeline as readable text. For example, "match-colors" becomes "Match colors". */
export function words(name) {
  const text = String(name).replace(/[-_]+/g, " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const baseName = (path) => String(path).replace(/\/+$/, "").split("/").pop() || String(path);

/** Returns a value of the pipeline as text without a unit. */
export function plain(value, kind) {
  if (value === null || value === undefined || value === "") return "none";
  if (kind === "time") return time(value) || "not set";
  if (String(value) === String(noTime)) return "unlimited";
  if (kind === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) return value.length ? value.join(", ") : "none";
  if (typeof value === "number") return number(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Returns the value of a property as text with its unit. */
export function shown(value, property) {
  const word = special(property).get(String(value));
  if (word && ["integer", "number", "time"].includes(property.kind)) return word;
  if (property.kind === "color" && typeof value === "number") return `#${value.toString(16).padStart(8, "0")}`;
  const text = plain(value, property.kind), after = unit(property);
  return after && typeof value === "number" ? `${text} ${after}` : text;
}

/** Returns a local date and time for file names, such as "20261122-183005". */
export function stamp(date = new Date()) {
  const two = (value) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`;
  return `${day}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`;
}
