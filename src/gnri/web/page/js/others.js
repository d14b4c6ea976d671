// Rules on other columns that are nearly as good, beside the rule; and the best rule of each size.

import { byId, el, replace, tabled } from "./dom.js";
import { answering } from "./jobs.js";
import { leaveOut } from "./table.js";
import { count, percent } from "./words.js";

export function startOthers() {
  answering("others", "others", "Looking for alternatives", "/api/alternatives", draw);
  answering("path", "path", "Learning rules of each size", "/api/path", drawPath);
}

function draw({ rule, alternatives }) {
  if (!alternatives.length) {
    replace(byId("others"), el("p", {}, "No rule on other columns gets nearly as many unseen rows right: at most one in 100 fewer."));
    return;
  }
  const [first] = alternatives;
  const own = box("The rule as it was learnt", (first.right + first.lost) / first.rows, rule, null);
  replace(byId("others"), el("div", { class: "others" }, own, alternatives.map((one) =>
    box(`Without ${one.without.join(", ")}`, one.accuracy, one.text,
      el("button", { type: "button", onclick: () => leaveOut(one.without) }, `Leave out ${one.without.join(", ")}`), lost(one)))));
}

const lost = ({ lost: rows }) => (rows === 0 ? "as many right" : `${count(Math.abs(rows), "row")} ${rows > 0 ? "fewer" : "more"} right`);

function box(title, share, text, button, more) {
  return el("div", { class: "played" }, el("h3", {}, title),
    el("p", {}, el("b", {}, percent(share)), ` of unseen rows right${more ? `, ${more}` : ""}`),
    el("pre", { tabindex: 0, "aria-label": title }, text), button);
}

function drawPath({ path }) {
  replace(byId("path"), tabled(["conditions", "unseen rows right", "training rows right", "rule"], path.map((one) =>
    el("tr", {}, [String(one.conditions), percent(one.held_out), percent(one.training)].map((cell) => el("td", {}, cell)),
      el("td", {}, el("pre", {}, one.rule))))));
}
