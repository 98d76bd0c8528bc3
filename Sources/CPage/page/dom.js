// SPDX-License-Identifier: LGPL-2.1-or-later

/** The element of the page with this id. */
export const byId = (id) => document.getElementById(id);

/**
 * Makes an element. Strings among `children` become text, never HTML.
 * @param {string} tag the element's name
 * @param {Object} attributes attributes by name; `null`, `undefined` and `false` are left out, `true` is the empty value, and a
 *   function at `onclick` and the like becomes a listener
 * @param {...(Node|string|null)} children what it holds
 */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Makes one of the icons that index.html holds. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

let made = 0;
/** An id that no other element of the page has. */
export const freshId = (prefix) => `${prefix}-${++made}`;

/** Says something to screen readers, politely; the last of several in a second is heard. */
export function speak(text) {
  clearTimeout(speak.timer);
  speak.timer = setTimeout(() => { byId("spoken").textContent = text; }, 300);
}

const shownToasts = 2, briefSeconds = 4;
/**
 * Shows a notice for some seconds, over everything else.
 * @param {string} text what it says
 * @param {{kind?: string, seconds?: number, actions?: Node[]}} options `kind` is "info" or "error"; 0 seconds: until it is closed
 * @returns {function(): void} takes the notice away
 */
export function toast(text, { kind = "info", seconds = 6, actions = [] } = {}) {
  const close = () => { node.remove(); };
  // What is gone in a moment, and offers nothing, lets clicks through to the picture.
  const brief = seconds > 0 && seconds <= briefSeconds && !actions.length;
  const node = make("div", { class: `toast ${kind} ${brief ? "brief" : ""}`, role: kind === "error" ? "alert" : "status" },
    make("p", {}, text), ...actions,
    brief ? null : make("button", { type: "button", class: "icon", "aria-label": "Close", onclick: close }, icon("close")));
  const box = byId("toasts");
  box.append(node);
  while (box.children.length > shownToasts) box.firstElementChild.remove();
  // Not while somebody is in it with the keyboard.
  const end = () => { if (node.contains(document.activeElement)) setTimeout(end, 1000); else close(); };
  if (seconds > 0) setTimeout(end, seconds * 1000);
  for (const action of actions) if (action.matches("button, a")) action.addEventListener("click", close);
  return close;
}
