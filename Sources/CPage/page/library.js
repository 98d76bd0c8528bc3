// SPDX-License-Identifier: LGPL-2.1-or-later
import { byId, make, toast } from "./dom.js";
import { bytes } from "./format.js";
import { address } from "./socket.js";
import { countNews } from "./view.js";

const listWait = 5000, keptRecordings = 50, shownUses = 4;

/** The uploaded files and the recordings. The server stores the files, and the tab Files lists them. */
export class Library {
  /**
   * The files that this page and other pages have uploaded. Each has `name`, `bytes`, `path` and, if the server knows it, `kind`.
   */
  uploads = [];
  /** True if the server accepts the path of any file on its computer. */
  anyFile = false;
  /** Returns the rows of all properties to which an uploaded file can be assigned. app.js replaces this function. */
  targets = () => [];
  #recordings = new Map();

  /** @param {Connection} connection the connection that reports the files */
  constructor(connection) {
    connection.addEventListener("files", ({ detail }) => {
      this.uploads = detail.files ?? [];
      for (const node of document.querySelectorAll("[data-library]")) node.dispatchEvent(new Event("library"));
      this.#listUploads();
    });
    connection.addEventListener("pipeline", () => { setTimeout(() => { this.#listUploads(); }); });
    const input = byId("upload-input");
    byId("upload").addEventListener("click", () => { input.click(); });
    input.addEventListener("change", () => { this.add([...input.files]); input.value = ""; });
    this.#acceptDrops();
  }

  /**
   * Sends a file to the server.
   * @param {File} file the file
   * @param {function(number): void} progress receives the sent fraction of the file (0–1)
   * @returns {Promise<{name: string, path: string}>} the name of the file, and its path on the computer that runs the pipeline
   */
  async upload(file, progress = () => {}) {
    const stored = await put(address(`uploads/${encodeURIComponent(this.#freshName(file.name || "photo.jpg"))}`), file, progress);
    if (stored.path) return stored;
    // The path is in the list of files, which the server sends over the WebSocket. This list may arrive before or after
    // the answer to the upload.
    for (let waited = 0; waited < listWait; waited += 50) {
      const listed = this.uploads.find((each) => each.name === stored.name);
      if (listed) return listed;
      await new Promise((resolve) => { setTimeout(resolve, 50); });
    }
    throw new Error(`${stored.name} was uploaded, but the server does not list the file.`);
  }

  /**
   * Returns a name that no uploaded file has. Phones give all photos the same name, but an upload must not replace an earlier
   * upload.
   */
  #freshName(name) {
    const taken = new Set(this.uploads.map((file) => file.name));
    if (!taken.has(name)) return name;
    const dot = name.lastIndexOf(".");
    const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
    let count = 2;
    while (taken.has(`${stem}-${count}${end}`)) count += 1;
    return `${stem}-${count}${end}`;
  }

  /** Uploads files. For each file, the page shows a progress bar, and then buttons that assign the file to properties. */
  async add(files) {
    for (const file of files) {
      const bar = make("progress", { max: 1, value: 0, "aria-label": `Upload of ${file.name}` });
      const close = toast(`Uploading ${file.name}, ${bytes(file.size)}`, { seconds: 0, actions: [bar] });
      try {
        const stored = await this.upload(file, (share) => { bar.value = share; });
        close();
        this.#offer(stored);
      } catch (error) {
        close();
        toast(`${file.name}: ${error.message}`, { kind: "error", seconds: 12 });
      }
    }
  }

  #offer(file) {
    // Sort the properties: the first property of each element, then the second property of each element, and so on.
    const all = this.targets(file);
    const rank = (row) => all.filter((each) => each.owner === row.owner).indexOf(row);
    const rows = [...all].sort((one, other) => rank(one) - rank(other));
    const few = rows.length > shownUses ? rows.slice(0, shownUses - 1) : rows;
    const nick = (row) => row.property.nick?.toLowerCase() || row.property.name;
    const isTwice = (row) => rows.filter((each) => nick(each) === nick(row)).length > 1;
    const actions = few.map((row) => make("button", {
      type: "button", class: "plain", "data-use": row.property.name, onclick: () => { row.set(file.path); },
    }, `Use as ${nick(row)}${isTwice(row) ? ` of ${row.owner.name}` : ""}`));
    if (few.length < rows.length) actions.push(this.#useList(file, rows, () => { close(); }));
    const close = toast(`${file.name} was uploaded.`, { seconds: rows.length ? 20 : 6, actions });
  }

  /** Makes a list of all properties to which a file can be assigned. */
  #useList(file, rows, done = () => {}) {
    const title = (row) =>
      (rows.filter((each) => each.title === row.title).length > 1 ? `${row.title} (${row.owner.name})` : row.title);
    const select = make("select", { "aria-label": `Use ${file.name} as` }, make("option", { value: "" }, "Use as…"),
      ...rows.map((row, at) => make("option", { value: at }, title(row))));
    select.addEventListener("change", () => {
      rows[select.value]?.set(file.path);
      select.value = "";
      done();
    });
    return select;
  }

  #listUploads() {
    byId("uploads").replaceChildren(...this.uploads.map((file) => {
      const rows = this.targets(file);
      return make("li", { "data-file": file.name }, make("span", { class: "name" }, file.name),
        make("span", { class: "size" }, bytes(file.bytes)), rows.length ? this.#useList(file, rows) : null);
    }));
    byId("uploads-empty").hidden = this.uploads.length > 0;
  }

  addRecording({ name, address: place, size }) {
    this.#recordings.set(name, { place, size });
    if (this.#recordings.size > keptRecordings) this.#recordings.delete(this.#recordings.keys().next().value);
    byId("recordings").replaceChildren(...[...this.#recordings].reverse().map(([each, file]) => make("li", { "data-file": each },
      make("span", { class: "name" }, each), make("span", { class: "size" }, bytes(file.size)),
      make("a", { class: "button plain", href: address(file.place), download: each }, "Download"))));
    byId("recordings-empty").hidden = true;
    countNews("files");
  }

  #acceptDrops() {
    let depth = 0;
    const isWatching = () => document.body.classList.contains("watching");
    const holdsFiles = (event) => !isWatching() && [...(event.dataTransfer?.types ?? [])].includes("Files");
    const enter = (by) => { depth = Math.max(0, depth + by); byId("drop").hidden = depth === 0; };
    addEventListener("dragenter", (event) => { if (holdsFiles(event)) { event.preventDefault(); enter(1); } });
    addEventListener("dragleave", (event) => { if (holdsFiles(event)) enter(-1); });
    addEventListener("dragover", (event) => { if (holdsFiles(event)) event.preventDefault(); });
    addEventListener("drop", (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      depth = 0;
      enter(0);
      this.add([...event.dataTransfer.files]);
    });
  }
}

/** Uploads a file. Uses `XMLHttpRequest`, because `fetch` does not report how much was sent. */
function put(url, file, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    request.responseType = "text";
    request.upload.onprogress = (event) => { if (event.lengthComputable) progress(event.loaded / event.total); };
    request.onload = () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* no JSON: the status says enough */ }
      if (request.status >= 200 && request.status < 300 && answer.name) resolve(answer);
      else if (answer.reason) reject(new Error(answer.reason));
      else reject(new Error(request.status === 413 ? "The file is too large." : `The server refused the file (HTTP ${request.status}).`));
    };
    request.onerror = () => { reject(new Error("The connection was lost during the upload.")); };
    request.send(file);
  });
}
