// A point table: a line for each column or clause, and in it a cell for each range or value.

import { el } from "./dom.js";
import { raise, raiseThreshold } from "./edits.js";
import { edit, summary } from "./rule.js";

export function pointTable(rule, which) {
  const most = Math.max(1, ...rule.lines.flatMap(([, cells]) => cells.map(([, points]) => Math.abs(points))));
  const lines = rule.lines.map(([name, cells], line) => el("li", { class: "line" },
    el("span", { class: "line-name" }, name),
    el("div", { class: "cells" }, cells.map((one, at) => cell(one, name, most, `${which}-${line}-${at}`)))));
  return el("div", { class: "sentence" }, el("h3", {}, rule.head), threshold(rule, which), el("ol", {}, lines), summary(rule),
    which ? null : el("p", { class: "soft" }, "Add the points of each line. Below, choose a row to see its own. You can change any number. The least of the ranges or values of a column is 0: raise it, and the others and the threshold become smaller in its place. An empty cell gets half of what the others add up to."));
}

function threshold(rule, which) {
  const place = `${which}-enough`;
  return el("label", { class: "cell enough" }, el("span", {}, rule.head.includes("less") ? `Points of ${rule.label} taken off` : `Points that are enough for ${rule.label}`),
    number(place, rule.enough, `Threshold of ${rule.label}`, (by) => edit(raiseThreshold(by), { rule: which, cell: place })));
}

function cell([words, points, lines], name, most, place) {
  const inside = lines
    ? number(place, points, `Points of ${name}: ${words}`, (by) => edit(raise(lines, by), { rule: Number(place.split("-")[0]), cell: place }))
    : el("b", {}, String(points).replace("-", "−"));
  const found = el(lines ? "label" : "span", { class: points < 0 ? "cell minus" : "cell", "data-cell": place }, el("span", {}, words), inside);
  found.style.setProperty("--share", Math.abs(points) / most);
  return found;
}

// A whole number; what is anything else is put back.
function number(place, now, label, changed) {
  const field = el("input", { type: "number", step: 1, value: now, "data-points": place, "aria-label": label, onchange: () => {
    const next = field.valueAsNumber;
    if (Number.isSafeInteger(next) && next !== now) changed(next - now);
    else field.value = now;
  } });
  return field;
}
