// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId } from "./dom.js";
import { keysym } from "./keys.js";

const sentButtons = new Map([[0, 1], [1, 2], [2, 3]]);

/**
 * Sends mouse, touch, pen and key events on the video to the pipeline. The page sends keys only if the video has the focus. The key
 * Tab moves the focus away from the video.
 * @param {Picture} picture the video
 * @param {Connection} connection the connection that sends the events
 */
export function steerPicture(picture, connection) {
  const canvas = picture.canvas;
  const held = new Map();
  let moved = null, frameRequest = 0;
  const send = (event, at, more = {}) => {
    connection.send({ type: "pointer", event, x: Math.round(at.x * 10) / 10, y: Math.round(at.y * 10) / 10, ...more });
  };
  const flush = () => {
    cancelAnimationFrame(frameRequest);
    frameRequest = 0;
    if (moved) send("move", moved, { button: 0 });
    moved = null;
  };

  canvas.addEventListener("pointerdown", (event) => {
    const at = picture.locate(event.clientX, event.clientY);
    const button = sentButtons.get(event.button);
    if (!at.inside || !button || !event.isPrimary) return;
    event.preventDefault();
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, button);
    flush();
    send("press", at, { button });
    showTap(event);
  });
  const release = (event) => {
    const button = held.get(event.pointerId);
    if (!button) return;
    held.delete(event.pointerId);
    flush();
    send("release", picture.locate(event.clientX, event.clientY), { button });
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointermove", (event) => {
    const at = picture.locate(event.clientX, event.clientY);
    if (!event.isPrimary || (!at.inside && !held.has(event.pointerId))) return;
    moved = at;
    if (!frameRequest) frameRequest = requestAnimationFrame(flush);
  });
  canvas.addEventListener("contextmenu", (event) => { event.preventDefault(); });
  canvas.addEventListener("wheel", (event) => {
    const at = picture.locate(event.clientX, event.clientY);
    const root = document.scrollingElement;
    const pageScrolls = root.scrollHeight > root.clientHeight + 1;
    if (!at.inside || event.ctrlKey || (pageScrolls && document.activeElement !== canvas)) return;
    event.preventDefault();
    const unit = event.deltaMode === 0 ? 100 : 1;
    send("scroll", at, { dx: event.deltaX / unit, dy: event.deltaY / unit });
  }, { passive: false });

  const pressed = new Set();
  canvas.addEventListener("keydown", (event) => {
    const key = keysym(event.key);
    if (!key || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    event.preventDefault();
    pressed.add(key);
    connection.send({ type: "key", event: "press", key });
  });
  canvas.addEventListener("keyup", (event) => {
    const key = keysym(event.key);
    if (key && pressed.delete(key)) connection.send({ type: "key", event: "release", key });
  });
  canvas.addEventListener("blur", () => {
    for (const key of pressed) connection.send({ type: "key", event: "release", key });
    pressed.clear();
  });
  typeByScreenKeyboard(connection);
}

export function pressKey(connection, character) {
  const key = keysym(character === "space" ? " " : character);
  if (!key) return;
  connection.send({ type: "key", event: "press", key });
  connection.send({ type: "key", event: "release", key });
}

/** Shows a mark at the tapped point immediately. The reaction of the pipeline is only visible one or two frames later. */
function showTap(event) {
  const mark = byId("tap"), box = byId("screen").getBoundingClientRect();
  mark.style.left = `${event.clientX - box.left}px`;
  mark.style.top = `${event.clientY - box.top}px`;
  mark.classList.remove("shown");
  void mark.offsetWidth; // restarts the animation
  mark.classList.add("shown");
}

/** Sends the characters that the user types on a phone. Phones show their keyboard only for a text field. */
function typeByScreenKeyboard(connection) {
  const field = byId("type-input");
  byId("type").addEventListener("click", () => { field.focus({ preventScroll: true }); });
  field.addEventListener("input", () => {
    for (const character of field.value) pressKey(connection, character);
    field.value = "";
  });
  field.addEventListener("keydown", (event) => {
    if (event.key.length > 1 && keysym(event.key)) pressKey(connection, event.key);
  });
}
