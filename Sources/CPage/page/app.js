// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId } from "./dom.js";
import { takePictures } from "./capture.js";
import { Faces } from "./faces.js";
import { Inputs } from "./inputs.js";
import { Library } from "./library.js";
import { Messages } from "./messages.js";
import { Panel } from "./panel.js";
import { Picture } from "./picture.js";
import { PartnerPoints } from "./points.js";
import { steerPicture } from "./pointer.js";
import { recordButton } from "./record.js";
import { Connection } from "./socket.js";
import { showStatus } from "./status.js";
import { measureStage, setUpFullScreen, setUpTabs } from "./view.js";
import { Zones } from "./zones.js";

// The server has set the session cookie, so the page removes the key from the address bar. Other people could see the
// key in the address bar, and copied links would contain the key. The page also loads itself again, because a link on
// another site may have opened the page. In this case, the browser would not send the cookie (SameSite=Strict) when the
// user reloads the page.
if (location.search) {
  location.replace(location.pathname);
  await new Promise(() => {});
}

const connection = new Connection();
const picture = new Picture(connection);
const library = new Library(connection);
const points = new PartnerPoints(connection, library);
const panel = new Panel({ connection, library, points });
let name = "picture", steers = false;

library.targets = (file) => panel.fileRows(file);
new Messages(connection);
new Inputs(connection);
new Faces(connection, picture.canvas);
new Zones(connection, picture);
setUpTabs();
setUpFullScreen();
measureStage();
showStatus(connection, picture);
takePictures(picture, () => name);
recordButton(connection, library);

connection.addEventListener("hello", ({ detail }) => {
  // If a pipeline has no name, GStreamer gives it a default name, such as "pipeline0". The page then shows "swiftvision".
  const title = !detail.title || /^pipeline\d+$/.test(detail.title) ? "swiftvision" : detail.title;
  name = title.replace(/[^\w.-]+/g, "-") || "picture";
  document.title = title;
  byId("title").textContent = title;
  library.anyFile = detail.files === "any";
  document.body.classList.toggle("watching", detail.control === false);
  if (detail.control === false || steers) return;
  steers = true;
  const canvas = picture.canvas;
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", "Live video. Click the video to send mouse and keyboard input to the pipeline. Press Tab to leave the video.");
  steerPicture(picture, connection);
});
document.addEventListener("visibilitychange", () => { connection.send({ type: "visible", visible: !document.hidden }); });
addEventListener("online", () => { connection.connect(); });
connection.connect();
