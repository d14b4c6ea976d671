// Rules on other columns that are nearly as good, beside the rule; and the best rule of each size.

import { askAbout } from "./api.js";
import { byId, complain, el, replace } from "./dom.js";
import { withProgress } from "./jobs.js";
import { onview } from "./state.js";
import { leaveOut } from "./table.js";
import { count, percent } from "./words.js";

let known = null;

export function startOthers() {
  listen("others", "Looking for alternatives", "/api/alternatives", draw);
  listen("path", "Learning rules of each size", "/api/path", drawPath);
  onview((view) => {
    if (known === view.learnt) return;
    known = view.learnt;
    for (const id of ["others", "path"]) {
      replace(byId(id));
      complain(`${id}-error`, null);
    }
  });
}

function listen(id, title, path, show) {
  byId(`${id}-ask`).addEventListener("click", async () => {
    complain(`${id}-error`, null);
    try {
      const found = await withProgress(title, (options) => askAbout(path, {}, options));
      if (found) show(found);
    } catch (error) {
      complain(`${id}-error`, error.message);
    }
  });
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
  const heads = ["conditions", "unseen rows right", "training rows right", "rule"];
  replace(byId("path"), el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, path.map((one) => el("tr", {}, [String(one.conditions), percent(one.held_out), percent(one.training)].map((cell) => el("td", {}, cell)),
      el("td", {}, el("pre", {}, one.rule))))));
}
