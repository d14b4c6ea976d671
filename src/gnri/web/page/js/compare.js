// Other learners on the same folds.

import { byId, el, replace, svg } from "./dom.js";
import { answering } from "./jobs.js";
import { grouped, percent } from "./words.js";

export const startCompare = () => answering("compare", "compared", "Comparing", "/api/compare", draw);

function draw({ folds, rows, of, majority, learners, left_out: leftOut }) {
  const bars = learners.map((one, i) => el("div", { class: "learner" },
    el("b", {}, one.name),
    strip(one, majority, i === 0),
    el("div", { class: "number" }, el("b", {}, percent(one.accuracy)),
      el("span", {}, one.unit === "" ? "no rule" : one.size === null ? "no rule found" : `${size(one.size)} ${one.unit}`))));
  const missing = Object.entries(leftOut).map(([name, why]) => `${name} is left out: ${why}. `);
  replace(byId("compared"), el("div", { class: "bars" }, bars),
    el("p", { class: "soft" }, `Accuracy on unseen rows, from ${folds} folds of ${grouped(rows)} rows. Each mark is one fold. ` +
      (rows < of ? `These rows are a sample of the ${grouped(of)}, which would take too long. ` : "") + missing.join("") +
      `The scale begins at ${percent(majority)}, the share of the largest class, which always answering that class gets right; folds below it are marked at its left end.`));
}

function strip(one, low, ours) {
  const x = (share) => (1000 * Math.max(0, share - low)) / (1 - low);
  return svg("svg", { class: ours ? "ours" : null, viewBox: "0 0 1000 26", preserveAspectRatio: "none", role: "img", "aria-label": `${one.name}: ${percent(one.accuracy)}` },
    svg("rect", { class: "track", x: 0, y: 5, width: 1000, height: 16 }),
    svg("rect", { class: "bar", x: 0, y: 5, width: x(one.accuracy), height: 16 }),
    one.by_fold.map((share) => svg("rect", { class: "fold", x: Math.min(997, Math.max(0, x(share) - 1.5)), y: 9, width: 3, height: 8 })));
}

function size(number) {
  return Number.isInteger(number) ? String(number) : number.toFixed(1);
}
