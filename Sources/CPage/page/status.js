// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId, make } from "./dom.js";
import { time } from "./format.js";

const lostText = {
  connecting: ["Connecting", "Connecting to the pipeline…"],
  lost: ["Connection lost", "The connection to the pipeline is lost."],
  denied: ["Key not valid",
    "The key in the address is no longer valid. The pipeline was probably restarted. Open the new address that the pipeline printed."],
  full: ["Too many pages", "Too many pages show this pipeline. Close another page."],
};

const titles = {
  rate: "Frame rate", shown: "Display rate", latency: "Latency", drops: "Dropped", size: "Frame size", pages: "Open pages",
  frames: "Received",
};

const frames = (count) => `${count} ${count === 1 ? "frame" : "frames"}`;

/**
 * Shows the state of the connection and of the stream: frame rate, latency and dropped frames. If there is a problem, shows it in a
 * notice over the video, with the time until the next connection attempt.
 * @param {Connection} connection the connection
 * @param {Picture} picture the video, which counts the drawn frames
 */
export function showStatus(connection, picture) {
  let ended = false, stats = null, before = 0, shown = 0, lastFrame = Date.now();

  const notice = (text, retry = false) => {
    byId("notice").hidden = text === null;
    byId("notice-retry").hidden = !retry;
    if (byId("notice-text").textContent !== (text ?? "")) byId("notice-text").textContent = text ?? "";
  };
  const draw = () => {
    const link = byId("link"), { state } = connection;
    document.body.dataset.link = state;
    const waits = Math.max(0, Math.ceil((connection.nextAttempt - Date.now()) / 1000));
    if (state !== "open") {
      const [short, long] = lostText[state];
      write(link, short, "lost");
      byId("stats").hidden = true;
      const again = state === "lost" || state === "full" ? (waits > 1 ? ` Trying again in ${waits} s.` : " Trying again…") : "";
      notice(long + again, state !== "connecting");
      return;
    }
    const still = Date.now() - lastFrame > 3000 && !document.hidden;
    const word = picture.drawn ? "No new frames" : "Waiting";
    write(link, ended ? "Ended" : still ? word : "Live", ended || still ? "still" : "open");
    notice(picture.drawn ? null : "Waiting for the first frame…");
  };
  const write = (node, text, state) => {
    node.dataset.state = state;
    if (node.textContent !== text) node.textContent = text;
  };
  const drawStats = () => {
    if (!stats) return;
    const rows = {
      rate: `${stats.rate?.toFixed?.(1) ?? "–"} fps`, shown: `${shown} fps`,
      latency: time(Math.round((stats.latency ?? 0) / 1e6) * 1e6), drops: frames(stats.drops ?? 0),
      size: `${stats.width}×${stats.height} px`, pages: String(stats.pages ?? 1),
      frames: frames(stats.frames ?? 0),
    };
    for (const [name, text] of Object.entries(rows)) {
      const place = byId(`stat-${name}`);
      if (place) place.textContent = text;
    }
    byId("stats").hidden = connection.state !== "open";
    if (byId("messages").hidden) return;
    byId("stream").replaceChildren(...Object.entries(titles).map(([name, title]) => make("div", {}, make("dt", {}, title),
      make("dd", {}, rows[name]))));
  };

  connection.addEventListener("link", () => { stats = null; ended = false; draw(); });
  connection.addEventListener("stats", ({ detail }) => { stats = detail; drawStats(); });
  connection.addEventListener("frame", () => { lastFrame = Date.now(); });
  connection.addEventListener("message", ({ detail }) => { if (detail.kind === "eos") { ended = true; draw(); } });
  picture.canvas.addEventListener("firstframe", draw);
  byId("notice-retry").addEventListener("click", () => {
    if (connection.state === "denied") location.reload();
    else connection.connect();
  });
  byId("tab-messages").addEventListener("shown", drawStats);
  setInterval(() => {
    shown = picture.drawn - before;
    before = picture.drawn;
    draw();
  }, 1000);
  draw();
}
