// Which clause covers which row, and the row that is being looked at.

import { askAbout } from "./api.js";
import { byId, el, replace, show, svg } from "./dom.js";
import { drawRow, clearRow } from "./row.js";
import { onleave, onview, rules, state } from "./state.js";

const STRIP = 20;
const OF_A_RULE = ["rule", "rows", "choices", "promise", "compare", "take", "nav"];
let cursor = null;
let asked = 0;

export function startMap() {
  byId("row-slider").addEventListener("input", (event) => choose(Number(event.target.value)));
  byId("next-mistake").addEventListener("click", nextMistake);
  onview(draw);
  onleave(() => {
    asked += 1;
    for (const id of OF_A_RULE) show(id, false);
  });
}

function draw(view) {
  const { strips, sections, wrong, order, mistakes } = view.map;
  const rows = order.length;
  const height = (strips.length + 1) * STRIP;
  cursor = svg("line", { class: "cursor", x1: -1, x2: -1, y1: 0, y2: height });
  const picture = svg("svg", {
    viewBox: `0 0 ${rows} ${height}`, preserveAspectRatio: "none", height, role: "img",
    "aria-label": `Coverage of ${rows} rows by ${strips.length} clauses; the slider below goes through the rows`,
    onclick: (event) => choose(placeAt(event, rows)),
  },
  [...strips.map((strip) => strip.bars), wrong].map((bars, i) => stripBars(bars, i)),
  strips.map((_, i) => svg("line", { class: "rule-line", x1: 0, x2: rows, y1: (i + 1) * STRIP, y2: (i + 1) * STRIP })),
  sections.slice(1).map(({ start }) => svg("line", { class: "border", x1: start, x2: start, y1: 0, y2: height })),
  cursor);
  const numbers = strips.map((_, i) => el("span", {}, String(i + 1)));
  replace(byId("map"), el("div", { class: "map" },
    el("div", { class: "labels", "aria-hidden": "true" }, numbers, el("span", {}, "wrong")),
    el("div", {}, classNames(sections, rows), picture)));
  byId("row-slider").max = rows - 1;
  byId("next-mistake").disabled = mistakes.length === 0;
  for (const id of OF_A_RULE) show(id, true);
  if (state.row === undefined || state.row >= rows) clearRow();
  else look(state.row);
}

function stripBars(bars, i) {
  return bars.map(([start, end, share, right]) => svg("rect", {
    class: right ? "hit" : "miss", x: start, width: end - start, y: i * STRIP + 2, height: STRIP - 4,
    "fill-opacity": (0.25 + 0.75 * share).toFixed(2),
  }));
}

function classNames(sections, rows) {
  return el("div", { class: "classes" }, sections.map(({ label, start, end }) => {
    const name = el("span", { title: label }, label);
    name.style.left = `${(100 * start) / rows}%`;
    name.style.width = `${(100 * (end - start)) / rows}%`;
    return name;
  }));
}

function placeAt(event, rows) {
  const box = event.currentTarget.getBoundingClientRect();
  return Math.min(rows - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * rows)));
}

function choose(place) {
  byId("row-slider").value = place;
  look(state.view.map.order[place]);
}

function nextMistake() {
  const { mistakes } = state.view.map;
  const now = Number(byId("row-slider").value);
  choose(mistakes.find((place) => place > now) ?? mistakes[0]);
}

async function look(row) {
  state.row = row;
  const place = state.view.map.order.indexOf(row);
  byId("row-slider").value = place;
  cursor.setAttribute("x1", place + 0.5);
  cursor.setAttribute("x2", place + 0.5);
  const mine = ++asked;
  // While a slider moves only the place where it rests is asked about.
  await new Promise((done) => setTimeout(done, 60));
  if (mine !== asked) return;
  try {
    const found = await askAbout("/api/explain", { row, rules: rules() });
    if (mine === asked) drawRow(found);
  } catch (error) {
    if (mine === asked) byId("row").textContent = error.message;
  }
}
