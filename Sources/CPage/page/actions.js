// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId, freshId, make, speak, toast } from "./dom.js";
import { words } from "./format.js";
import { makeControl } from "./controls.js";
import { labelledKeys } from "./keys.js";
import { pressKey } from "./pointer.js";

/** Returns the answer of an action as text. Returns an empty string if there is no answer or the answer is true. */
function answered(value) {
  if (value === undefined || value === null || value === true) return "";
  return value === false ? "Result: false" : `Result: ${value}`;
}

/** Returns the initial value of an argument's control. */
function initial(argument) {
  const none = { boolean: false, flags: [], text: "", file: "", choice: argument.choices?.[0]?.nick };
  return argument.value ?? argument.default ?? none[argument.kind] ?? argument.minimum ?? 0;
}

/**
 * Makes the form for an action: a field for each argument, a button, and a line for the result.
 * @param {Object} element the element that has the action
 * @param {Object} action the action, as in the message `pipeline`
 * @param {Object} shared `connection` and `library`
 * @returns {Element} the form
 */
export function actionForm(element, action, { connection, library }) {
  const values = [];
  const outcome = make("p", { class: "outcome", role: "status" });
  const enabled = action.enabled !== false;
  const blurbId = freshId("act");
  const title = words(action.name);
  const button = make("button", { type: "submit", class: "plain", disabled: !enabled, "aria-describedby": blurbId }, title);
  const say = (text, failed) => { outcome.textContent = text; outcome.classList.toggle("failed", failed === true); };
  const fields = enabled ? (action.arguments ?? []).map((argument, at) => {
    const id = freshId("arg"), label = words(argument.name);
    values[at] = initial(argument);
    const control = makeControl(argument, {
      id, label, library,
      change: (value) => { values[at] = value; say(""); },
      refuse: (reason) => { say(reason, true); },
    });
    control.show(values[at]);
    // The event `change` only comes after Enter or when the field loses the focus. So the form also stores the text at
    // each event `input`.
    if (argument.kind === "text") control.node.addEventListener("input", () => { values[at] = control.node.value; });
    control.group?.setAttribute("aria-label", label);
    return make("div", { class: "argument", "data-argument": argument.name },
      make(control.group ? "span" : "label", { for: control.group ? null : id }, label), control.node);
  }) : [];
  const blurb = action.blurb ?? "";
  const form = make("form", { class: "action", "data-element": element.id, "data-action": action.name }, ...fields, button,
    make("p", { class: "blurb", id: blurbId },
      enabled ? blurb : `${blurb && `${blurb.replace(/\.$/, "")}. `}Not allowed on this page: ${action.reason ?? "no reason given"}.`), outcome);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (outcome.classList.contains("failed") && outcome.textContent) return;
    say("…");
    try {
      const reply = await connection.request({ type: "act", element: element.id, name: action.name, arguments: values });
      say(answered(reply.answer) || "Done");
      setTimeout(() => { if (!outcome.classList.contains("failed")) say(""); }, 4000);
    } catch (error) {
      say(error.message, true);
    }
  });
  return form;
}

/** The actions with buttons in the row of inputs. */
const inputActions = ["take", "cut"];

/**
 * Fills the row under the video with buttons for the actions of swiftvision's elements that have no arguments. Devices with a
 * touchscreen also show buttons for the keys that these elements handle.
 * @param {Object[]} elements swiftvision's elements, in pipeline order
 * @param {Connection} connection the connection that sends actions and keys
 */
export function showQuickActions(elements, connection) {
  const row = byId("quick");
  const actions = elements.flatMap((element) => (element.actions ?? [])
    .filter((action) => action.enabled !== false && action.name !== "report"
      && !(element.factory === "svswitch" && inputActions.includes(action.name)) && !(action.arguments ?? []).length).map((action) => ({ element, action })));
  const known = actions.map(({ action }) => action.name);
  const buttons = actions.map(({ element, action }) => {
    const twice = known.indexOf(action.name) !== known.lastIndexOf(action.name);
    return make("button", {
      type: "button", class: "quick", "data-element": element.id, "data-action": action.name, title: action.blurb,
      onclick: async () => {
        try {
          const reply = await connection.request({ type: "act", element: element.id, name: action.name, arguments: [] });
          speak(`${words(action.name)}: ${answered(reply.answer) || "Done"}`);
          if (reply.answer === false) toast(`${words(action.name)} is not possible now.`);
        } catch (error) { toast(error.message, { kind: "error" }); }
      },
    }, words(action.name), twice ? make("small", {}, element.name) : null);
  });
  // The pipeline sends a key to all elements. So if several elements handle the same key, the page shows only one
  // button for the key.
  const listeners = new Map();
  for (const element of elements) {
    for (const { key, label } of labelledKeys(element)) listeners.set(key, new Set([...(listeners.get(key) ?? []), label]));
  }
  const keys = [...listeners].map(([key, labels]) => {
    const text = [...labels].join(" / ");
    return make("button", {
      type: "button", class: "quick touch", "data-key": key, title: `Key ${key}`,
      onclick: () => { pressKey(connection, key); speak(text); },
    }, text);
  });
  row.replaceChildren(...buttons, ...keys);
  row.hidden = row.children.length === 0;
  row.classList.toggle("keys-only", buttons.length === 0);
}
