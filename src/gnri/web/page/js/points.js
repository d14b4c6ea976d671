// A point table: a line for each column or clause, and in it a cell for each range or value.

import { el } from "./dom.js";
import { summary } from "./rule.js";

export function pointTable(rule, which) {
  const most = Math.max(1, ...rule.lines.flatMap(([, cells]) => cells.map(([, points]) => Math.abs(points))));
  const lines = rule.lines.map(([name, cells], line) => el("li", { class: "line" },
    el("span", { class: "line-name" }, name),
    el("div", { class: "cells" }, cells.map(([words, points], at) => cell(words, points, most, `${which}-${line}-${at}`)))));
  return el("div", { class: "sentence" }, el("h3", {}, rule.head), el("ol", {}, lines), summary(rule),
    which ? null : el("p", { class: "soft" }, "Add the points of each line. Below, choose a row to see its own. Points are learnt together, so they are not edited here; for a rule to edit, choose clauses above."));
}

function cell(words, points, most, place) {
  const found = el("span", { class: points < 0 ? "cell minus" : "cell", "data-cell": place }, el("span", {}, words), el("b", {}, String(points).replace("-", "−")));
  found.style.setProperty("--share", Math.abs(points) / most);
  return found;
}
