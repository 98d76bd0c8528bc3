// SPDX-License-Identifier: LGPL-2.1-or-later
import { make } from "./dom.js";
import { baseName } from "./format.js";

const pathOf = (file) => (typeof file === "string" ? file : file.path);

/**
 * Makes a list of the files or folders that a property can have as its value. For files, also makes a button to upload a file from
 * this device.
 * @param {Object} property the property. `files` lists the files on the server that are suitable for the property. `accepts` is the
 *   kind of uploaded files that the property accepts
 * @param {Object} context as for `makeControl`; `library` lists the uploaded files
 */
export function fileControl(property, context) {
  const library = context.library, isFolder = property.kind === "folder";
  const select = make("select", { id: context.id, "aria-describedby": context.describedby });
  const accept = [property.accepts === "image" ? "image/*" : null, ...(property.extensions ?? []).map((end) => `.${end}`)];
  const input = make("input", {
    type: "file", hidden: true, tabindex: "-1", "aria-label": `File for ${context.label}`,
    accept: accept.filter(Boolean).join(",") || null,
  });
  const button = make("button", { type: "button", class: "plain", "data-upload": "" }, "Upload…");
  const progress = make("progress", { max: 1, value: 0, hidden: true, "aria-label": `Upload for ${context.label}` });
  let current = null;

  const fillList = () => {
    const added = isFolder ? library.uploads.map((file) => file.path.replace(/\/[^/]*$/, ""))
      : library.uploads.filter((file) => !property.accepts || file.kind === property.accepts).map((file) => file.path);
    const paths = [...(property.files ?? []).map(pathOf), ...added];
    if (current) paths.unshift(current);
    const names = [...new Set(paths.filter((path) => typeof path === "string" && path !== ""))];
    const short = names.map(baseName);
    const options = [make("option", { value: "" }, "none")];
    names.forEach((path, at) => {
      const twice = short.indexOf(short[at]) !== short.lastIndexOf(short[at]);
      options.push(make("option", { value: path, title: path }, twice ? path : short[at]));
    });
    select.replaceChildren(...options);
    select.value = current ?? "";
    select.title = current ?? "";
  };
  select.addEventListener("change", () => { context.change(select.value); });
  button.addEventListener("click", () => { input.click(); });
  input.addEventListener("change", async () => {
    const [file] = input.files;
    input.value = "";
    if (!file) return;
    button.disabled = true;
    progress.hidden = false;
    try {
      const stored = await library.upload(file, (share) => { progress.value = share; });
      context.change(stored.path);
    } catch (error) {
      context.refuse(error.message);
    }
    button.disabled = false;
    progress.hidden = true;
  });
  select.dataset.library = "";
  select.addEventListener("library", fillList);

  const parts = [make("div", { class: "line" }, select, ...(isFolder ? [] : [button, input])), progress];
  if (library.anyFile) {
    const path = make("input", {
      type: "text", placeholder: "Or enter a path on the machine that runs the pipeline", "aria-label": `Path for ${context.label}`,
      autocomplete: "off", spellcheck: "false",
    });
    path.addEventListener("change", () => { if (path.value) context.change(path.value); path.value = ""; });
    parts.push(path);
  }
  return { node: make("div", { class: "file" }, ...parts), show: (value) => { current = value || null; fillList(); } };
}
