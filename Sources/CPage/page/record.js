// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId, make, speak, toast } from "./dom.js";
import { bytes, clock } from "./format.js";
import { address } from "./socket.js";

/**
 * Sets up the button that starts and stops a recording. It shows the time and size of the recording, even if another page started
 * it.
 * @param {Connection} connection the connection that requests the recording
 * @param {Library} library the library that lists finished recordings
 */
export function recordButton(connection, library) {
  const button = byId("record");
  let on = false, started = 0, size = 0, timer = 0;

  const draw = () => {
    button.setAttribute("aria-pressed", String(on));
    button.setAttribute("aria-label", on ? "Stop recording" : "Record");
    byId("record-icon").setAttribute("href", on ? "#i-stop" : "#i-record");
    const length = make("span", { class: "size" }, on && size ? ` · ${bytes(size)}` : "");
    byId("record-text").replaceChildren(on ? clock((Date.now() - started) / 1000) : "Record", length);
  };
  button.addEventListener("click", async () => {
    button.disabled = true;
    try { await connection.request({ type: "record", on: !on }); } catch (error) {
      toast(`Recording failed: ${error.message}`, { kind: "error", seconds: 12 });
    }
    button.disabled = false;
  });
  connection.addEventListener("recording", ({ detail }) => {
    const was = on;
    on = detail.on === true;
    size = detail.bytes ?? 0;
    // The page counts the recording time itself, so that the displayed time does not jump. If the server's time differs
    // by more than 1.5 s, the page corrects its time.
    const begun = Date.now() - (detail.seconds ?? 0) * 1000;
    if (on && (!was || Math.abs(begun - started) > 1500)) started = begun;
    if (on !== was) speak(on ? "Recording started" : "Recording stopped");
    clearInterval(timer);
    if (on) timer = setInterval(draw, 500);
    draw();
    if (on) return;
    const actions = [];
    if (detail.address) {
      library.addRecording({ name: detail.name, address: detail.address, size });
      actions.push(make("a", { class: "button plain", href: address(detail.address), download: detail.name }, "Download"));
    }
    if (!was) return;
    if (detail.reason) toast(`Recording: ${detail.reason}`, { kind: "error", seconds: 0, actions });
    else if (detail.address) toast(`Recording finished: ${clock(detail.seconds)}, ${bytes(size)}.`, { seconds: 20, actions });
  });
  connection.addEventListener("link", ({ detail }) => {
    if (detail === "open") { on = false; clearInterval(timer); draw(); }
  });
}
