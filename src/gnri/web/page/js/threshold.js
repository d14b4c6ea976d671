// A slider for the threshold of a condition, over the numbers of its column, with what each place costs.

import { askAbout } from "./api.js";
import { byId, replace, show, svg } from "./dom.js";
import { moveTo } from "./edits.js";
import { measured } from "./rule.js";
import { rules } from "./state.js";
import { grouped } from "./words.js";

const WIDTH = 280, HEIGHT = 64;

export const hideThreshold = () => show("threshold", false);

// `current` tells whether the condition is still the one that is looked at; `shown` is called once the slider is.
export async function drawThreshold(place, current, apply, shown) {
  const ask = () => askAbout("/api/thresholds", { ...place, rules: rules() }).catch(() => null);
  let found = await ask();
  if (!found || !current()) return;
  const slider = byId("threshold-slider");
  const say = () => {
    const at = Number(slider.value);
    const words = `${found.column} ${found.above ? ">" : "≤"} ${found.places[at]}`;
    const cost = `${words}: ${wrong(found.training, at)} of ${grouped(found.rows)} training rows wrong`;
    const unseen = found.held_out ? `held out, ${wrong(found.held_out.wrong, at)}` : "held out: not known";
    byId("threshold-cost").textContent = `${cost}; ${unseen}.`;
    slider.setAttribute("aria-valuetext", byId("threshold-cost").textContent);
    byId("threshold-move").disabled = at === found.at;
    replace(byId("threshold-picture"), picture(found, at));
  };
  const wrong = (counts, at) => `${grouped(counts[at])}${at === found.at ? "" : ` (now ${grouped(counts[found.at])})`}`;
  Object.assign(slider, { max: found.places.length - 1, oninput: say });
  slider.value = found.at;
  byId("threshold-move").onclick = () => apply(moveTo(found.column, found.places[Number(slider.value)]));
  say();
  byId("threshold-key").textContent = `Bars: rows of ${found.class}, and others. Lines: rows wrong, of those learnt from and (dashes) held out.`;
  show("threshold", true);
  shown();
  if (found.held_out) return;
  await measured();
  if (!current()) return;
  found = (await ask()) ?? found;
  if (current()) say();
}

// The rows between two places, those of the class below the others; the lines are what is wrong there.
function picture(found, at) {
  const slots = found.bars[0].length;
  const most = Math.max(...found.bars[0].map((own, i) => own + found.bars[1][i]), 1);
  const x = (slot) => (slot * WIDTH) / slots;
  const y = (rows) => (rows * HEIGHT) / most;
  const bar = (kind, slot, rows, below) => rows ? svg("rect", { class: kind, x: x(slot), width: Math.max(1, WIDTH / slots - 0.5), y: HEIGHT - y(rows + below), height: y(rows) }) : null;
  const worst = Math.max(...found.training, ...(found.held_out?.wrong ?? []), 1);
  const line = (kind, counts) => svg("polyline", { class: kind, points: counts.map((rows, i) => `${x(i + 1)},${HEIGHT - (rows * HEIGHT) / worst}`).join(" ") });
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `How the rows lie on ${found.column}: ${found.class}, and all others` },
    found.bars[0].map((own, i) => [bar("hit", i, own, 0), bar("rest", i, found.bars[1][i], own)]),
    line("training", found.training), found.held_out ? line("unseen", found.held_out.wrong) : null,
    svg("line", { class: "cut", x1: x(at + 1), x2: x(at + 1), y1: 0, y2: HEIGHT }));
}
