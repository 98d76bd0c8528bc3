// SPDX-License-Identifier: LGPL-2.1-or-later

/** The time that GStreamer takes for none: 2^64 - 1 ns. */
export const noTime = 18446744073709551615n;

const units = { ns: 1n, µs: 1000n, ms: 1000000n, s: 1000000000n, min: 60000000000n, h: 3600000000000n };
// Up to which time each unit reads best.
const limits = [["ns", units.µs], ["µs", units.ms], ["ms", units.s], ["s", 2n * units.min], ["min", 2n * units.h]];

/** A time in nanoseconds (a number or a string of digits) in the unit that reads best: "1.5 s". */
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
 * Nanoseconds of what somebody typed: "2", "1.5 s", "500ms", "3 min"; without a unit seconds.
 * @returns {(bigint|null)} null where it is no time
 */
export function parseTime(text) {
  const match = /^\s*(-?)(\d*)(?:[.,](\d*))?\s*(ns|us|µs|ms|s|sec|min|m|h)?\s*$/.exec(text);
  if (!match || (!match[2] && !match[3])) return null;
  const unit = { us: "µs", sec: "s", m: "min" }[match[4]] ?? match[4] ?? "s";
  const fraction = (match[3] ?? "").slice(0, 15);
  const ns = BigInt(match[2] || "0") * units[unit] + BigInt(fraction || "0") * units[unit] / 10n ** BigInt(fraction.length);
  return match[1] ? -ns : ns;
}

/** A whole number as the protocol has it: a string of digits beyond 2^53. */
export const wholeValue = (big) => (Number.isSafeInteger(Number(big)) ? Number(big) : big.toString());

/** A count of bytes for reading: "1.4 MB". */
export function bytes(count) {
  if (!(count >= 1000)) return `${count || 0} B`;
  const names = ["kB", "MB", "GB", "TB"];
  let value = count / 1000, at = 0;
  while (value >= 999.5 && at < names.length - 1) { value /= 1000; at += 1; }
  return `${value >= 10 ? Math.round(value) : value.toFixed(1)} ${names[at]}`;
}

/** A length of time in seconds as a clock shows it: "1:05". */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds || 0));
  const two = (number) => String(number).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** A number with at most six digits that matter, without zeros at its end. */
export const number = (value) => (Number.isInteger(value) ? String(value) : String(Number(Number(value).toPrecision(6))));

/** A name of the pipeline as a word to read: "match-colors" is "Match colors". */
export function words(name) {
  const text = String(name).replace(/[-_]+/g, " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The last part of a path. */
export const baseName = (path) => String(path).replace(/\/+$/, "").split("/").pop() || String(path);

/** Some value of the pipeline as text: for what is only read, and for defaults. */
export function plain(value, kind) {
  if (value === null || value === undefined || value === "") return "none";
  if (kind === "time") return time(value) || "none";
  if (kind === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) return value.length ? value.join(", ") : "none";
  if (typeof value === "number") return number(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The moment as a part of a file's name: "20261122-183005". */
export function stamp(date = new Date()) {
  const two = (value) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`;
  return `${day}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`;
}
