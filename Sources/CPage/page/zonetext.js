// SPDX-License-Identifier: LGPL-2.1-or-later

export const mostZones = 64, mostCorners = 64;
/** Maximum length of a text, in bytes of JSON. The server truncates longer values, and does not accept longer messages. */
const longestText = 60000;

/** Returns true if a text is too long for the connection between the page and the server. */
export const isTooLong = (text) => new TextEncoder().encode(JSON.stringify(text)).length > longestText;

/**
 * @typedef {Object} Zone an area or a line
 * @property {string} name the name
 * @property {boolean} isLine true for a line, which has two points and a direction
 * @property {{x: number, y: number, text: (string|undefined)}[]} points positions as fractions of the frame. `text` is the text from
 *   which the position was read, so that positions that the user does not move keep all digits
 */

const blank = /\p{White_Space}/u;

/**
 * Removes the same blanks as svzones. JavaScript's `trim` removes other characters. With a regular expression for blanks at the end,
 * the time would increase with the square of the number of blanks.
 */
function trimmed(text) {
  let [start, end] = [0, text.length];
  while (start < end && blank.test(text[start])) start += 1;
  while (end > start && blank.test(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

/**
 * Reads the value of svzones' property `zones`.
 * @param {string} text such as "desk: 0.1,0.6 0.4,0.6 0.4,0.9; gate: 0.6,0.4 -> 0.6,0.9"
 * @returns {(Zone[]|null)} the zones; null if the text is malformed or too long
 */
export function parseZones(text) {
  if (isTooLong(text ?? "")) return null;
  const zones = [];
  for (const part of (text ?? "").split(";")) {
    if (!trimmed(part)) continue;
    const colon = part.indexOf(":");
    if (colon < 0) return null;
    const name = trimmed(part.slice(0, colon));
    const number = String.raw`[+-]?[\d.]+`, blanks = `${blank.source}*`;
    const token = new RegExp(`${blanks}(?:(->)|(${number})${blanks},${blanks}(${number}))${blanks}`, "uy");
    const rest = part.slice(colon + 1), points = [];
    let isLine = false;
    for (token.lastIndex = 0; token.lastIndex < rest.length;) {
      const match = token.exec(rest);
      if (!match) return null;
      if (match[1]) {
        if (isLine || points.length !== 1) return null;
        isLine = true;
        continue;
      }
      const [x, y] = [Number(match[2]), Number(match[3])];
      if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) return null;
      points.push({ x, y, text: `${match[2]},${match[3]}` });
    }
    if (isLine ? points.length !== 2 : points.length < 3 || points.length > mostCorners) return null;
    if (nameProblem(name, zones)) return null;
    zones.push({ name, isLine, points });
  }
  return zones.length <= mostZones ? zones : null;
}

/** Returns a fraction with four digits. The text has no exponent, because svzones does not read exponents. */
const fraction = (value) => String(Number(value.toFixed(4)));
const position = (point) => point.text ?? `${fraction(point.x)},${fraction(point.y)}`;

/** Returns zones as the value of svzones' property `zones`. */
export const zonesText = (zones) =>
  zones.map(({ name, isLine, points }) => `${name}: ${points.map(position).join(isLine ? " -> " : " ")}`).join("; ");

/** Returns zones as the content of a file for svzones' property `zones-location`. */
export function zonesFile(zones) {
  const items = zones.map(({ name, isLine, points }) =>
    JSON.stringify({ name, [isLine ? "line" : "area"]: points.map((point) => position(point).split(",").map(Number)) }));
  return `{"zones": [\n  ${items.join(",\n  ")}\n]}\n`;
}

/**
 * Returns the reason why svzones would refuse a name; an empty string for a valid name.
 * @param {string} name the name
 * @param {Zone[]} others the other zones of the list
 */
export function nameProblem(name, others) {
  if (!trimmed(name)) return "Enter a name.";
  if (/[:;,]/.test(name)) return "A name cannot contain a colon, a semicolon or a comma.";
  if (/\p{Cc}|\p{Surrogate}/u.test(name)) return "A name cannot contain control characters.";
  return others.some((zone) => zone.name.normalize() === trimmed(name).normalize()) ? "Another zone has this name." : "";
}

/** Returns a name that no zone has, such as "area 2". */
export function freshName(word, zones) {
  let count = 1;
  while (zones.some((zone) => zone.name === `${word} ${count}`)) count += 1;
  return `${word} ${count}`;
}

/** Returns true if a point is inside an area, by the even-odd rule. */
export function isInside({ x, y }, points) {
  let inside = false;
  points.forEach((end, at) => {
    const start = points[(at || points.length) - 1];
    if ((start.y > y) !== (end.y > y) && x < start.x + (end.x - start.x) * (y - start.y) / (end.y - start.y)) inside = !inside;
  });
  return inside;
}
