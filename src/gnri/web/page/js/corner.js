// A corner of a table of yes-or-no questions, drawn.

import { el, svg } from "./dom.js";
import { clipped } from "./words.js";

const CELL = 22, HEAD = 118, DIGIT = 6.6;

export function corner(title, { names, cells, labels, rows }) {
  const left = 12 + DIGIT * Math.max(4, ...rows.map((number) => String(number).length));
  const width = left + (names.length + 1.6) * CELL + 62;
  const height = HEAD + rows.length * CELL + 6;
  const x = (i) => left + i * CELL + CELL / 2;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, role: "img", "aria-label": `${title}: ${names.join(", ")}` },
    [...names, "class"].map((name, i) => {
      const at = i < names.length ? x(i) : x(names.length) + CELL * 0.6;
      return svg("text", { class: "name", transform: `translate(${at + 3} ${HEAD - 8}) rotate(-55)` }, svg("title", {}, name), clipped(name, 19));
    }),
    rows.map((number, r) => {
      const y = HEAD + r * CELL + CELL / 2;
      return [
        svg("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, String(number)),
        cells[r].map((value, i) => dot(value, x(i), y)),
        svg("rect", { class: labels[r] > 0 ? "plus" : "minus", x: x(names.length) + CELL * 0.6 - 7, y: y - 7, width: 14, height: 14, rx: 3 }),
      ];
    }));
  return el("div", { class: "corner" }, el("p", { class: "soft" }, title), picture);
}

function dot(value, cx, cy) {
  return svg("circle", { class: { 1: "yes", "-1": "no", 0: "open" }[value], cx, cy, r: value === 0 ? 2 : 6 });
}
