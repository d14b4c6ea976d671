// Export: the rule as a file.

import { byId, complain, el, replace, show } from "./dom.js";
import { askLong } from "./jobs.js";
import { onview, rules, state } from "./state.js";

const NAMES = { text: "Text", sql: "SQL", python: "Python", pandas: "pandas", javascript: "JavaScript", prolog: "Prolog", dmn: "DMN", pmml: "PMML", latex: "LaTeX", json: "JSON", html: "HTML report" };
let link = null;

export function startTake(about) {
  replace(byId("formats"), about.formats.map((format) =>
    el("button", { type: "button", "data-format": format, "aria-pressed": "false", onclick: () => take(format) }, NAMES[format] ?? format)));
  byId("download").addEventListener("click", () => {
    state.dirty = false;
  });
  onview(() => {
    show("preview", false);
    press(null);
    complain("take-error", null);
  });
}

async function take(format) {
  const { view } = state;
  const file = await askLong("take-error", `Writing ${NAMES[format] ?? format}`, "/api/export", { format, rules: rules() });
  if (!file || state.view !== view) return;
  press(format);
  preview(file);
}

function preview(file) {
  if (link) URL.revokeObjectURL(link);
  link = URL.createObjectURL(new Blob([file.content], { type: file.type }));
  byId("preview-name").textContent = file.name;
  byId("preview-text").textContent = file.type === "text/html"
    ? "A single file to open in a browser: the rule, its statistics, the coverage map and the check of the promise. It loads nothing else."
    : file.content;
  Object.assign(byId("download"), { href: link, download: file.name });
  show("preview", true);
}

function press(format) {
  for (const button of byId("formats").children) {
    button.setAttribute("aria-pressed", String(button.dataset.format === format));
  }
}
