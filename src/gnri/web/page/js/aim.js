// Precision and recall that could be had, on rows held out, and what to ask for: floors, and the weight of a class.

import { byId, complain, el, replace, show, svg, tabled } from "./dom.js";
import { askLong } from "./jobs.js";
import { learn } from "./learn.js";
import { onlearnt, onleave, onview, state } from "./state.js";
import { grouped, percent } from "./words.js";

const WIDTH = 340, HEIGHT = 240, EDGE = 34;
const SLIDERS = ["aim-precision", "aim-recall", "aim-weight"];
let found = null;

export function startAim() {
  byId("aim-ask").addEventListener("click", ask);
  for (const id of SLIDERS) byId(id).addEventListener("input", draw);
  byId("aim-learn").addEventListener("click", () => aim(wanted()));
  byId("aim-none").addEventListener("click", () => {
    reset();
    aim({});
  });
  onview((view) => {
    show("aim-two", view.classes.length === 2);
    show("aim-many", view.classes.length !== 2);
  });
  onlearnt(() => {
    found = null;
    show("aim", false);
    complain("aim-error", null);
    state.aim = askedFor(state.asked);
    byId("aim-now").textContent = said(state.aim);
    byId("aim-none").disabled = !Object.keys(state.aim).length;
  });
  onleave(() => {
    state.aim = {};
    reset();
  });
}

const reset = () => SLIDERS.forEach((id) => (byId(id).value = 0));

async function ask() {
  const now = await askLong("aim-error", "Measuring precision and recall", "/api/points");
  if (!now) return;
  found = now;
  show("aim", true);
  draw();
}

async function aim(next) {
  const before = state.aim;
  state.aim = next;
  if (await learn()) byId("rule-title").focus();
  else state.aim = before;
}

// What the sliders ask for; at 0 they ask for nothing.
function wanted() {
  const [precision, recall, weight] = SLIDERS.map((id) => Number(byId(id).value));
  return {
    ...(precision && { min_precision: { [found.class]: precision / 100 } }),
    ...(recall && { min_recall: { [found.class]: recall / 100 } }),
    ...(weight && { class_weight: { [found.class]: 2 ** weight, [found.other]: 1 } }),
  };
}

// The floors and weights of settings, also of those that an undo goes back to.
function askedFor({ min_precision, min_recall, class_weight }) {
  const weights = typeof class_weight === "string" ? undefined : class_weight;
  return Object.fromEntries(Object.entries({ min_precision, min_recall, class_weight: weights }).filter(([, asked]) => asked));
}

function said({ min_precision: precision, min_recall: recall, class_weight: weights }) {
  const floors = [[precision, "precision"], [recall, "recall"]].flatMap(([floor, name]) =>
    Object.entries(floor ?? {}).map(([label, share]) => `${name} of ${label} at least ${percent(share)}`));
  if (weights) floors.push(Object.entries(weights).map(([label, weight]) => `${label} counts ${weight.toFixed(2)}`).join(", "));
  return floors.length ? `The rule above was asked for: ${floors.join("; ")}.` : "";
}

function draw() {
  const [precision, recall, weight] = SLIDERS.map((id) => Number(byId(id).value));
  const words = [precision ? `${precision} %` : "any", recall ? `${recall} %` : "any",
    weight ? `a row of ${found.class} counts as ${(2 ** weight).toFixed(2)} of ${found.other}` : "a row counts as a row"];
  SLIDERS.forEach((id, i) => {
    byId(id).setAttribute("aria-valuetext", words[i]);
    byId(`${id}-now`).textContent = words[i];
  });
  const good = found.points.filter((one) => 100 * (one.precision ?? 0) >= precision && 100 * one.recall >= recall);
  const best = good.reduce((a, b) => (!a || (precision ? b.recall > a.recall : (b.precision ?? 0) > (a.precision ?? 0)) ? b : a), null);
  byId("aim-note").textContent = `${good.length} of ${found.points.length} points have what the floors ask for` +
    (best && (precision || recall) ? `; the best of them has precision ${percent(best.precision)} at recall ${percent(best.recall)}.` : ".");
  replace(byId("aim-curve"), curve(precision / 100, recall / 100, good, 2 ** weight));
  replace(byId("aim-table"), tabled(["precision", "recall", "weight or points", "rows"], found.points.map((one) => {
    const at = String(one.total ?? one.weight) + (one.chosen ? " (now)" : "");
    return el("tr", {}, [percent(one.precision), percent(one.recall), at, grouped(one.rows)].map((cell) => el("td", {}, cell)));
  })));
}

function curve(precision, recall, good, weight) {
  const x = (share) => EDGE + share * (WIDTH - EDGE - 10);
  const y = (share) => 10 + (1 - share) * (HEIGHT - EDGE - 10);
  const near = (one) => one.weight !== undefined && Math.abs(Math.log2(one.weight / weight)) <= 0.5;
  const points = found.points.filter((one) => one.precision !== null);
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Precision over recall of ${found.class} at ${points.length} points; the table below has them` },
    svg("rect", { class: "floor", x: x(recall), y: y(1), width: x(1) - x(recall), height: y(precision) - y(1) }),
    svg("path", { class: "axis", d: `M${x(0)} ${y(1)}V${y(0)}H${x(1)}` }),
    svg("line", { class: "base", x1: x(0), x2: x(1), y1: y(found.share), y2: y(found.share) }),
    points.map((one) => svg("circle", { class: `${good.includes(one) ? "good" : "poor"}${one.chosen ? " chosen" : ""}${near(one) ? " near" : ""}`, cx: x(one.recall), cy: y(one.precision), r: one.chosen ? 6 : 4 })),
    svg("text", { x: x(0.5), y: HEIGHT - 6, "text-anchor": "middle" }, "recall"),
    svg("text", { x: 4, y: y(1) + 4 }, "100"), svg("text", { x: 4, y: y(0) + 4 }, "0"),
    svg("text", { x: 4, y: y(0.5), "text-anchor": "start" }, "prec."));
}
