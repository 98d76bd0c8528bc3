// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId } from "./dom.js";

const idleAfter = 3000;

/**
 * Sets up the tabs Controls, Messages and Files. Arrow keys select the next or previous tab. A selected tab gets the event `shown`.
 */
export function setUpTabs() {
  const tabs = [...document.querySelectorAll("#tabs [role=tab]")];
  const select = (chosen) => {
    for (const tab of tabs) {
      const on = tab === chosen;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      byId(tab.getAttribute("aria-controls")).hidden = !on;
    }
    const badge = chosen.querySelector(".badge");
    if (badge) { badge.textContent = ""; badge.hidden = true; }
    chosen.dispatchEvent(new Event("shown"));
  };
  tabs.forEach((tab, at) => {
    tab.addEventListener("click", () => { select(tab); });
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = tabs[(to + tabs.length) % tabs.length];
      select(next);
      next.focus();
    });
  });
}

/**
 * Increments the count on the tab of a section ("messages" or "files"), unless the section is visible. Selecting the tab clears the
 * count.
 */
export function countNews(section) {
  if (!byId(section).hidden) return;
  const badge = byId(`${section}-badge`);
  badge.textContent = String(Number(badge.textContent) + 1);
  badge.hidden = false;
}

/**
 * Sets the CSS variable --stage-height. On narrow pages, CSS uses it so that the video does not cover a control that gets the
 * focus.
 */
export function measureStage() {
  const stage = byId("stage");
  new ResizeObserver(() => {
    document.documentElement.style.setProperty("--stage-height", `${stage.offsetHeight + 8}px`);
  }).observe(stage);
}

/** Sets up full screen. If the browser has no full-screen function (iPhone), the video fills the whole page instead. */
export function setUpFullScreen() {
  const stage = byId("stage"), button = byId("full-screen");
  let timer = 0, lock = null;
  const isOn = () => document.fullscreenElement === stage || document.body.classList.contains("filled");
  const draw = () => {
    const on = isOn();
    button.setAttribute("aria-pressed", String(on));
    byId("full-screen-icon").setAttribute("href", on ? "#i-window" : "#i-full");
    button.querySelector("span").textContent = on ? "Exit" : "Full screen";
    button.setAttribute("aria-label", on ? "Exit full screen" : "Full screen");
    keepAwake(on);
    wake();
  };
  const keepAwake = async (on) => {
    try {
      if (on && !lock) lock = await navigator.wakeLock?.request("screen");
      else if (!on) { await lock?.release(); lock = null; }
    } catch { lock = null; /* a screen that goes dark is no reason to stop */ }
  };
  // In full screen, the buttons disappear after 3 s without input. The next input shows them again.
  const wake = () => {
    clearTimeout(timer);
    stage.classList.remove("idle");
    if (!isOn()) return;
    timer = setTimeout(() => { if (!stage.querySelector("button:focus-visible")) stage.classList.add("idle"); }, idleAfter);
  };
  button.addEventListener("click", async () => {
    if (document.fullscreenElement) await document.exitFullscreen();
    else if (stage.requestFullscreen) await stage.requestFullscreen().catch(() => { document.body.classList.add("filled"); });
    else document.body.classList.toggle("filled");
    draw();
  });
  document.addEventListener("fullscreenchange", draw);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.body.classList.contains("filled")) { document.body.classList.remove("filled"); draw(); }
  });
  for (const event of ["pointermove", "pointerdown", "keydown"]) stage.addEventListener(event, wake);
}
