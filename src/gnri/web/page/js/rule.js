// The rule in sentences, each clause with its card, and the tools to make it one's own.

import { askAbout } from "./api.js";
import { byId, complain, el, replace } from "./dom.js";
import { card } from "./card.js";
import { drawDiagram } from "./diagram.js";
import { withProgress } from "./jobs.js";
import { learn } from "./learn.js";
import { openMenu } from "./menu.js";
import { pointTable } from "./points.js";
import { onview, remember, rules, shown, state } from "./state.js";
import { count, delta, percent } from "./words.js";

let last = Promise.resolve();
let unseen = null; // how the rule that was learnt does on unseen rows, in words

export function startRule() {
  byId("undo").addEventListener("click", () => go(-1));
  byId("redo").addEventListener("click", () => go(1));
  byId("again").addEventListener("click", learn);
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement && event.target.type === "text";
    if (typing || event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    go(event.shiftKey ? 1 : -1);
  });
  onview(draw);
}

// One literal dropped or flipped; a clause that loses its last literal goes with it.
export function edited(kind, place) {
  const next = structuredClone(rules());
  const clauses = next[place.rule].clauses;
  if (kind === "drop") clauses[place.clause].splice(place.literal, 1);
  else clauses[place.clause][place.literal][1] = !clauses[place.clause][place.literal][1];
  next[place.rule].clauses = clauses.filter((clause) => clause.length > 0);
  return next;
}

export function edit(kind, place) {
  const { view } = state;
  inTurn(async () => {
    if (state.view !== view) return; // the place is one in a rule that is gone
    await score(edited(kind, place), (found) => {
      remember(found);
      state.dirty = true;
    });
    const left = document.querySelectorAll(`[data-rule="${place.rule}"][data-clause="${place.clause}"]`);
    (left[Math.min(place.literal, left.length - 1)] ?? byId("undo")).focus();
  });
}

function go(step) {
  inTurn(async () => {
    const at = state.at + step;
    if (at < 0 || at >= state.history.length) return;
    const held = document.activeElement;
    await score(state.history[at], () => {
      state.at = at;
    });
    // The first and the last step disable the button that was pressed, and a literal may be gone.
    if (held !== document.body && (held.disabled || !held.isConnected)) byId(step < 0 ? "redo" : "undo").focus();
  });
}

// Edits and steps one after the other: each begins where the one before it has led.
function inTurn(work) {
  last = last.then(work);
}

// The rule as the server sees it; the state moves on only once there is an answer.
async function score(next, then) {
  complain("rule-error", null);
  try {
    const view = await askAbout("/api/score", { rules: next });
    then(view);
    shown(view);
  } catch (error) {
    if (error.name !== "AbortError") complain("rule-error", error.message);
  }
}

function draw(view) {
  measure(view);
  drawAccuracy(view);
  byId("undo").disabled = state.at <= 0;
  byId("redo").disabled = state.at >= state.history.length - 1;
  let [place, lines] = [0, 0];
  const blocks = view.rules.map((rule, which) => {
    const block = sentence(rule, which, place, view);
    place += rule.clauses.length;
    lines += rule.lines.length;
    return block;
  });
  replace(byId("sentences"), blocks, el("p", { class: "ending" }, view.ending.join("\n")));
  byId("rule-hint").hidden = place === 0;
  byId("diagram-box").hidden = place === 0;
  byId("rows-hint").hidden = place === 0;
  byId("rows-title").textContent = lines ? "Row by row" : "Which clause covers which row";
  drawDiagram(view);
}

// The figure to trust comes first: on rows that were not used for learning. It takes longer than the
// rule, so it is asked for once the rule is shown, and again for each rule that is learnt, not edited.
async function measure(view) {
  if (unseen?.learnt === view.learnt) return;
  const mine = (unseen = { learnt: view.learnt, lines: ["measuring …"], share: "" });
  try {
    const found = await withProgress("Cross-validating", (options) => askAbout("/api/validate", {}, options));
    Object.assign(mine, found ?? { lines: ["not measured: cancelled"] });
  } catch (error) {
    mine.lines = [`not measured: ${error.message}`];
  }
  if (unseen === mine && state.view?.learnt === mine.learnt) drawAccuracy(state.view);
}

function drawAccuracy(view) {
  const { share, right, rows, majority } = view.accuracy;
  const moved = delta(share, state.first);
  const [first, ...more] = unseen.lines;
  replace(byId("accuracy"), unseen.share ? el("strong", {}, unseen.share) : "On unseen rows: ", `${first}. `,
    more.map((line) => el("span", { class: "more" }, `${line}. `)),
    view.edited ? el("span", { class: "more" }, "All this is about the rule as it was learnt, before your edits. ") : null,
    el("span", { class: "more" }, "On the training rows: ", el("b", { class: "trained" }, percent(share)), ` right (${right.toLocaleString("en")} of ${rows.toLocaleString("en")}; the largest class is ${percent(majority)}). `,
      view.edited ? el("span", { class: `delta ${moved.way}` }, `${moved.text} points there after your edits.`) : null));
}

function sentence(rule, which, first, view) {
  if (rule.lines.length) return pointTable(rule, which);
  const head = el("h3", {}, rule.follows ? el("em", {}, "otherwise ") : null, rule.label, " ",
    el("em", {}, rule.positive ? "if" : "unless"));
  if (!rule.present || rule.clauses.length === 0) return empty(rule, view);
  const items = rule.clauses.map((clause, at) =>
    el("li", { class: "clause", "data-card": `${which}-${at}` },
      el("span", { class: "place" }, String(first + at + 1)),
      el("div", { class: "words" }, literals(clause, { rule: which, clause: at })),
      card(clause, rule.target)));
  return el("div", { class: "sentence" }, head, el("ol", {}, items), summary(rule));
}

function literals(clause, place) {
  // The joining word stays with what it joins on, wherever the line breaks.
  return clause.literals.map((words, literal) => el("span", { class: "joined" },
    literal ? el("span", { class: "join" }, "and ") : place.clause ? el("span", { class: "join" }, "or ") : null,
    el("button", {
      type: "button", class: "literal", "aria-haspopup": "dialog",
      "data-rule": place.rule, "data-clause": place.clause, "data-literal": literal,
      onclick: (event) => openMenu(event.currentTarget, words, { ...place, literal }),
    }, words)));
}

export function summary(rule) {
  const { covered, hits, expected, interval } = rule.figures;
  const open = rule.undecided ? ` Missing cells leave it undecided on ${count(rule.undecided, "row")}.` : "";
  return el("p", { class: "soft" },
    `It is true on ${count(covered, "training row")}${rule.follows ? " of those that are left" : ""}, ${hits.toLocaleString("en")} of them ${rule.label}.` +
      (covered ? ` On new rows, expect ${percent(expected)} (${percent(interval[0])} to ${percent(interval[1])}).` : "") + open);
}

function empty(rule, view) {
  const words = rule.present
    ? `${rule.label} ${rule.positive ? "never" : "always"}: all clauses are gone.`
    : `No rule for ${rule.label}: either no rule is good enough to justify its length, or the table looks the same with its classes exchanged.`;
  return el("div", { class: "sentence" }, el("p", { class: "none" }, words),
    view.edited ? el("p", { class: "soft" }, "Undo brings them back.") : null);
}
