// One column of the table: its type, its missing cells and its thresholds.

import { el } from "./dom.js";
import { clipped, percent } from "./words.js";
import { state } from "./state.js";

const LONGEST = 40; // letters of a question
const KINDS = { number: "numbers", flag: "yes or no", category: "categories", "leave out": "left out" };

export function columnRow(column, changed) {
  const mine = state.columns[column.name] ?? {};
  const kind = mine.kind ?? column.kind;
  const asked = el("td", {}, questions(column, kind, changed));
  const row = el("tr", { class: kind === "leave out" ? "out" : null },
    el("th", { scope: "row" }, column.name || "(no name)"),
    el("td", {}, kindSelect(column, kind, (next) => {
      changed(column.name, { kind: next });
      row.classList.toggle("out", next === "leave out");
      asked.replaceChildren(questions(column, next, changed));
    })),
    el("td", { class: "number" }, column.missing ? percent(column.missing) : "none"),
    asked);
  return row;
}

function kindSelect(column, kind, choose) {
  const select = el("select", { "aria-label": `${column.name} is read as`, onchange: (event) => choose(event.target.value) },
    [...column.reads_as, "leave out"].map((value) => el("option", { value }, KINDS[value])));
  select.value = kind;
  return select;
}

function questions(column, kind, changed) {
  if (kind === "leave out") return el("span", { class: "values" }, column.note || "not used");
  if (kind === "number") return thresholdsField(column, changed);
  const more = column.questions - column.shown.length;
  if (kind !== column.kind) return el("span", { class: "values" }, "one question for each value");
  const words = column.shown.map((word) => clipped(word, LONGEST)).join(", ");
  const asked = words + (more > 0 ? ` and ${more} more` : "") + (column.note ? `; ${column.note}` : "");
  return el("span", { class: "values", title: column.shown.join(", ") }, asked);
}

function thresholdsField(column, changed) {
  const field = el("input", {
    type: "text", value: state.columns[column.name]?.thresholds ?? column.thresholds.join(", "),
    inputmode: "decimal", "aria-label": `Thresholds of ${column.name}`,
    oninput: () => {
      changed(column.name, { thresholds: field.value });
      check();
    },
  });
  const check = () => field.setAttribute("aria-invalid", String(!parseThresholds(field.value)));
  check();
  return field;
}

// The numbers in what was typed, or null if that is anything else.
export function parseThresholds(text) {
  const found = text.split(/[\s,;]+/).filter(Boolean).map(Number);
  return found.length > 0 && found.every(Number.isFinite) ? found : null;
}
