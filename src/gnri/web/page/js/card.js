// The statistics of one clause.

import { el, svg } from "./dom.js";
import { count, grouped, percent } from "./words.js";

const WIDTH = 240;

export function card(clause, target) {
  const { covered, hits, expected, interval, lift, members, rows } = clause.figures;
  if (!covered) return el("div", { class: "card" }, "covers no row");
  const bounds = interval.map(percent);
  return el("div", { class: "card" },
    el("strong", {}, percent(expected)), ` ${target} expected `, `(${grouped(hits)} of ${count(covered, "training row")})`,
    bar(expected, interval, members / rows, `Expected precision ${percent(expected)}, 95 % interval ${bounds[0]} to ${bounds[1]}`),
    `${bounds[0].replace(" %", "")} to ${bounds[1]}` + (lift ? ` · lift ${lift.toFixed(2)}` : "") +
      ` · ${grouped(clause.unique)} covered by no other`);
}

// The precision with its interval; the dashes are at the share of the class among all rows.
function bar(precision, [low, high], base, label) {
  const x = (share) => 4 + share * (WIDTH - 8);
  return svg("svg", { viewBox: `0 0 ${WIDTH} 18`, role: "img", "aria-label": label, preserveAspectRatio: "none" },
    svg("rect", { class: "track", x: 0, y: 6, width: WIDTH, height: 6, rx: 3 }),
    svg("rect", { class: "range", x: x(low), y: 6, width: Math.max(2, x(high) - x(low)), height: 6, rx: 3 }),
    svg("line", { class: "base", x1: x(base), x2: x(base), y1: 1, y2: 17 }),
    svg("rect", { class: "point", x: x(precision) - 2, y: 3, width: 4, height: 12, rx: 2 }));
}
