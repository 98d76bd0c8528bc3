// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId, make, toast } from "./dom.js";
import { bytes, stamp } from "./format.js";
import { address } from "./socket.js";
import { countNews } from "./view.js";

const keptPictures = 12;

/**
 * Sets up snapshots: the button, the window that shows a snapshot, and the list in the tab Files. The list keeps the last 12
 * snapshots.
 * @param {Picture} picture the video. If the server does not answer, a snapshot shows the canvas of the video
 * @param {function(): string} title returns the first part of the file names
 */
export function takePictures(picture, title) {
  const dialog = byId("shot"), taken = [];
  let shown = null;

  const show = (shot) => {
    shown = shot;
    byId("shot-image").src = shot.url;
    byId("shot-image").alt = `Snapshot ${shot.file.name}`;
    byId("shot-status").textContent = hint(shot);
    const save = byId("shot-save");
    save.href = shot.url;
    save.download = shot.file.name;
    byId("shot-share").hidden = !navigator.canShare?.({ files: [shot.file] });
    byId("shot-copy").hidden = !(navigator.clipboard?.write && window.ClipboardItem);
    dialog.showModal();
    save.focus();
  };
  const hint = (shot) => {
    const line = `${shot.file.name}, ${bytes(shot.file.size)}. `;
    // Browsers can copy and share only in a secure context (https or localhost). A long press on the image works in any context.
    return isSecureContext ? line : `${line}Touch and hold the image to copy or share it.`;
  };
  const list = () => {
    byId("pictures").replaceChildren(...taken.map((shot) => make("li", {}, make("button", {
      type: "button", "aria-label": `Show ${shot.file.name}`, onclick: () => { show(shot); },
    }, make("img", { src: shot.url, alt: "", loading: "lazy" }), make("span", {}, shot.time)))));
    byId("pictures-empty").hidden = taken.length > 0;
  };
  const keep = (shot) => {
    taken.unshift(shot);
    for (const old of taken.splice(keptPictures)) URL.revokeObjectURL(old.url);
    list();
    countNews("files");
  };

  byId("take-picture").addEventListener("click", async () => {
    const button = byId("take-picture");
    button.disabled = true;
    try {
      const blob = await newest(picture);
      const now = new Date();
      const file = new File([blob], `${title()}-${stamp(now)}.png`, { type: "image/png" });
      const shot = { file, url: URL.createObjectURL(file), time: now.toLocaleTimeString() };
      keep(shot);
      show(shot);
    } catch (error) {
      toast(`Snapshot failed: ${error.message}`, { kind: "error" });
    }
    button.disabled = false;
  });
  byId("shot-save").addEventListener("click", () => {
    byId("shot-status").textContent = `Saved in the downloads of this device as ${shown.file.name}. The tab Files shows a copy.`;
  });
  byId("shot-share").addEventListener("click", async () => {
    try { await navigator.share({ files: [shown.file], title: shown.file.name }); } catch (error) {
      if (error.name !== "AbortError") byId("shot-status").textContent = `Sharing failed: ${error.message}`;
    }
  });
  byId("shot-copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": shown.file })]);
      byId("shot-status").textContent = "Copied to the clipboard.";
    } catch (error) { byId("shot-status").textContent = `Copying failed: ${error.message}`; }
  });
  byId("shot-close").addEventListener("click", () => { dialog.close(); });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => { byId("shot-image").removeAttribute("src"); byId("take-picture").focus(); });
}

/**
 * Returns the newest frame as PNG. The frame comes from the server without JPEG losses, or from the canvas if the server sends no
 * PNG.
 */
async function newest(picture) {
  try {
    const answer = await fetch(address("picture.png"), { cache: "no-store", credentials: "same-origin" });
    if (answer.ok && answer.headers.get("Content-Type")?.startsWith("image/png")) return await answer.blob();
  } catch { /* no server: the canvas has the last frame */ }
  if (!picture.drawn) throw new Error("there is no frame yet.");
  return picture.snapshot();
}
