// One row: its answer and why, on the page and on the rule itself.

import { byId, el, replace } from "./dom.js";
import { state } from "./state.js";
import { count } from "./words.js";

export function drawRow(found) {
  paint(found.rules);
  const slider = byId("row-slider");
  const words = `Row ${found.row + 1}`;
  slider.setAttribute("aria-valuetext", `${words}, class ${found.label}, predicted ${found.answer}`);
  replace(byId("row"), el("div", { class: "row-card" },
    el("h3", {}, `${words}: class ${found.label}, predicted ${found.answer} `,
      el("span", { class: `badge ${found.right ? "good" : "bad"}` }, found.right ? "right" : "wrong")),
    found.reason ? el("p", {}, `${found.reason}.`) : asked(found.rules).map(reason),
    cells(found)));
}

export function clearRow() {
  paint([]);
  replace(byId("row"));
}

// The rules up to the first that holds: those behind it are not asked about this row.
function asked(rules) {
  const first = rules.findIndex((rule) => rule.truth === 1);
  return first < 0 ? rules : rules.slice(0, first + 1);
}

function reason(rule, which) {
  const { label } = state.view.rules[which];
  const about = state.view.rules.length > 1 ? `The rule of ${label}: ` : "";
  if (rule.fired.length) return el("p", {}, `${about}${capital(about, named(which, rule.fired))} ${rule.fired.length > 1 ? "hold" : "holds"}.`);
  if (!rule.closest.length) return null;
  const lacking = rule.literals[rule.closest[0]].filter((truth) => truth !== 1).length;
  return el("p", {}, `${about}${capital(about, "no clause holds")}. The closest ${rule.closest.length > 1 ? "are" : "is"} ` +
    `${named(which, rule.closest)}, where ${count(lacking, "condition")} ${lacking > 1 ? "fail or are" : "fails or is"} unknown.`);
}

function capital(before, words) {
  return before ? words : words[0].toUpperCase() + words.slice(1);
}

function named(which, clauses) {
  const first = state.view.rules.slice(0, which).reduce((sum, rule) => sum + rule.clauses.length, 0);
  const shown = clauses.slice(0, 5).map((clause) => first + clause + 1);
  const more = clauses.length - shown.length;
  return `clause${clauses.length > 1 ? "s" : ""} ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function cells(found) {
  const names = [...found.read, ...Object.keys(found.cells).filter((name) => !found.read.includes(name))];
  const list = (shown) => el("dl", {}, shown.map((name) =>
    el("div", { class: found.read.includes(name) ? "read" : null },
      el("dt", {}, name), el("dd", {}, found.cells[name] === "" ? "missing" : found.cells[name]))));
  const rest = names.slice(found.read.length);
  return [list(found.read), rest.length
    ? el("details", {}, el("summary", {}, `${count(rest.length, "column")} that the rule does not use`), list(rest.slice(0, 200)))
    : null];
}

// The cell of each line that this row has; every condition underlined by whether it holds in this row, and the clauses that fire or nearly do.
function paint(rules) {
  for (const button of document.querySelectorAll("button.literal, #diagram g.switch")) {
    const [rule, clause, literal] = (button.dataset.box ?? `${button.dataset.rule}-${button.dataset.clause}-${button.dataset.literal}`).split("-");
    const truth = rules[rule]?.literals[clause]?.[literal];
    if (truth === undefined) delete button.dataset.truth;
    else button.dataset.truth = truth;
  }
  for (const cell of document.querySelectorAll("[data-cell]")) {
    const [rule, line, at] = cell.dataset.cell.split("-").map(Number);
    cell.classList.toggle("mine", rules[rule]?.cells[line] === at);
  }
  for (const item of document.querySelectorAll(".clause")) {
    const [rule, clause] = item.dataset.card.split("-").map(Number);
    item.classList.toggle("fired", Boolean(rules[rule]?.fired.includes(clause)));
    item.classList.toggle("closest", Boolean(rules[rule] && !rules[rule].fired.length && rules[rule].closest.includes(clause)));
  }
}
