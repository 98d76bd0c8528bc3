// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId, freshId, make, speak, toast } from "./dom.js";
import { words } from "./format.js";
import { makeControl } from "./controls.js";
import { labelledKeys } from "./keys.js";
import { pressKey } from "./pointer.js";

/** What an action has answered, in words; empty where it says no more than that it was done. */
function answered(value) {
  if (value === undefined || value === null || value === true) return "";
  return value === false ? "Result: false" : `Result: ${value}`;
}

/** What an argument is before anybody has chosen. */
function initial(argument) {
  const none = { boolean: false, flags: [], text: "", file: "", choice: argument.choices?.[0]?.nick };
  return argument.value ?? argument.default ?? none[argument.kind] ?? argument.minimum ?? 0;
}

/**
 * An action in the panel: a button, with a field for each argument, and what became of it.
 * @param {Object} element whose action it is
 * @param {Object} action as the message `pipeline` has it
 * @param {Object} shared `connection` and `library`
 * @returns {Element} a form
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
    // A text counts as it stands when the button is pressed.
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

/**
 * Fills the row under the picture: the actions of our elements that need no argument, and, where there is no keyboard, the keys
 * that they listen to.
 * @param {Object[]} elements ours, in order
 * @param {Connection} connection where they go
 */
export function showQuickActions(elements, connection) {
  const row = byId("quick");
  const actions = elements.flatMap((element) => (element.actions ?? [])
    .filter((action) => action.enabled !== false && action.name !== "report" && !(action.arguments ?? []).length).map((action) => ({ element, action })));
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
  // A key goes to all elements, so one that several listen to is there once.
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
