// SPDX-License-Identifier: LGPL-2.1-or-later

/** Returns the element of the page with this id. */
export const byId = (id) => document.getElementById(id);

/**
 * Makes an element. Strings in `children` become text, never HTML.
 * @param {string} tag the name of the element
 * @param {Object} attributes the attributes by name. `make` skips the values `null`, `undefined` and `false`. For `true`, it sets
 *   an empty attribute. A function, such as `onclick`, becomes an event listener
 * @param {...(Node|string|null)} children the children of the element; `make` skips null and undefined
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

/** Makes an SVG element that shows an icon from index.html. */
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
/** Returns a new id that no other element of the page has. */
export const freshId = (prefix) => `${prefix}-${++made}`;

/** Announces a text to screen readers after 300 ms. If another call follows within this time, only its text is announced. */
export function speak(text) {
  clearTimeout(speak.timer);
  speak.timer = setTimeout(() => { byId("spoken").textContent = text; }, 300);
}

const shownToasts = 2, briefSeconds = 4;
/**
 * Shows a notice over the page.
 * @param {string} text the text of the notice
 * @param {{kind?: string, seconds?: number, actions?: Node[]}} options `kind`: "info", "warning" or "error". `seconds`: the time
 *   after which the notice closes (0 = it stays until the user closes it). `actions`: nodes after the text, such as buttons
 * @returns {function(): void} closes the notice
 */
export function toast(text, { kind = "info", seconds = 6, actions = [] } = {}) {
  const close = () => { node.remove(); };
  // Brief notices have no buttons. The style of brief notices (.brief) ignores the pointer, so a brief notice does not
  // block clicks on the video.
  const brief = seconds > 0 && seconds <= briefSeconds && !actions.length;
  const node = make("div", { class: `toast ${kind} ${brief ? "brief" : ""}`, role: kind === "error" ? "alert" : "status" },
    make("p", {}, text), ...actions,
    brief ? null : make("button", { type: "button", class: "icon", "aria-label": "Close", onclick: close }, icon("close")));
  const box = byId("toasts");
  box.append(node);
  while (box.children.length > shownToasts) box.firstElementChild.remove();
  // If a button in the notice has the keyboard focus, the notice stays open.
  const end = () => { if (node.contains(document.activeElement)) setTimeout(end, 1000); else close(); };
  if (seconds > 0) setTimeout(end, seconds * 1000);
  for (const action of actions) if (action.matches("button, a")) action.addEventListener("click", close);
  return close;
}
