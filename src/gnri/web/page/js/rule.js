// The rule in sentences, each clause with its card, and the tools to make it one's own.

import { openAdder } from "./adder.js";
import { askAbout } from "./api.js";
import { byId, el, replace } from "./dom.js";
import { card } from "./card.js";
import { drawDiagram } from "./diagram.js";
import { attempt, withProgress } from "./jobs.js";
import { learn } from "./learn.js";
import { openMenu } from "./menu.js";
import { pointTable } from "./points.js";
import { now, onview, remember, rules, shown, state } from "./state.js";
import { count, delta, grouped, percent } from "./words.js";

let last = Promise.resolve();
let unseen = null; // how the rule that was learnt does on unseen rows, in words

export function startRule() {
  byId("undo").addEventListener("click", () => go(-1));
  byId("redo").addEventListener("click", () => go(1));
  byId("again").addEventListener("click", () => learn());
  byId("rest").addEventListener("click", learnRest);
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement && ["text", "number"].includes(event.target.type);
    if (typing || event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    go(event.shiftKey ? 1 : -1);
  });
  onview(draw);
}

// A change of `edits.js`; then the focus is where the change was made, or as near as can be.
export function edit(change, place) {
  const { view } = state;
  inTurn(async () => {
    if (state.view !== view) return; // the place is one in a rule that is gone
    const next = structuredClone(rules());
    change(next, place);
    await score({ ...now(), rules: next }, (found) => {
      remember(found);
      state.dirty = true;
    });
    const clause = place.clause ?? next[place.rule].clauses?.length - 1;
    const left = document.querySelectorAll(`button.literal[data-rule="${place.rule}"][data-clause="${clause}"]`);
    const cell = place.cell && document.querySelector(`[data-points="${place.cell}"]`);
    (cell || left[Math.min(place.literal ?? left.length - 1, left.length - 1)] || byId("undo")).focus();
  });
}

function go(step) {
  inTurn(async () => {
    const at = state.at + step;
    if (at < 0 || at >= state.history.length) return;
    const held = document.activeElement;
    await score(state.history[at], () => {
      state.at = at;
      state.asked = now().asked;
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
function score(next, then) {
  return attempt("rule-error", async () => {
    const view = await askAbout("/api/score", { rules: next.rules }, {}, next);
    then(view);
    shown(view);
  });
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
  byId("rest").disabled = !lockedClauses().length;
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
  mine.over = new Promise((done) => (mine.done = done));
  try {
    const found = await withProgress("Cross-validating", (options) => askAbout("/api/validate", {}, options));
    Object.assign(mine, found ?? { lines: ["not measured: cancelled"] });
  } catch (error) {
    mine.lines = [`not measured: ${error.message}`];
  }
  mine.done();
  if (unseen === mine && state.view?.learnt === mine.learnt) drawAccuracy(state.view);
}

// Resolves once it is known how the rule does on unseen rows, or that it will not be.
export const measured = () => unseen.over;

function drawAccuracy(view) {
  const { share, right, rows, majority } = view.accuracy;
  const moved = delta(share, now().first);
  const [first, ...more] = unseen.lines;
  replace(byId("accuracy"), unseen.share ? el("strong", {}, unseen.share) : "On unseen rows: ", `${first}. `,
    more.map((line) => el("span", { class: "more" }, `${line}. `)),
    view.edited ? el("span", { class: "more" }, "All this is about the rule as it was learnt, before your edits. ") : null,
    el("span", { class: "more" }, "On the training rows: ", el("b", { class: "trained" }, percent(share)), ` right (${grouped(right)} of ${grouped(rows)}; the largest class is ${percent(majority)}). `,
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
      el("div", { class: "words" }, literals(clause, { rule: which, clause: at }), tools(clause, which, at, first + at + 1)),
      card(clause, rule.target)));
  return el("div", { class: "sentence" }, head, el("ol", {}, items), addClause(which), summary(rule));
}

const addClause = (which) => el("button", { type: "button", class: "quiet", "aria-haspopup": "dialog", "data-add": which,
  onclick: (event) => openAdder(event.currentTarget, { rule: which }) }, "Add a clause");

function tools(clause, which, at, number) {
  const adds = el("button", { type: "button", class: "quiet tool", "aria-haspopup": "dialog", "aria-label": `Add a condition to clause ${number}`,
    onclick: (event) => openAdder(event.currentTarget, { rule: which, clause: at }) }, "Add");
  const lock = el("button", { type: "button", class: "quiet tool lock", "aria-pressed": String(state.locked.has(inWords(clause))),
    "aria-label": `Keep clause ${number} when the rest is learnt`, onclick: () => {
      const locked = !state.locked.delete(inWords(clause));
      if (locked) state.locked.add(inWords(clause));
      lock.setAttribute("aria-pressed", String(locked));
      byId("rest").disabled = !lockedClauses().length;
    } }, "Keep");
  return [adds, state.view.classes.length === 2 ? lock : null];
}

// The same whatever the order of the conditions, which is another in a rule that was learnt.
const inWords = (clause) => [...clause.literals].sort().join(" and ");

const lockedClauses = () => rules()[0]?.clauses?.filter((_, at) => state.locked.has(inWords(state.view.rules[0].clauses[at]))) ?? [];

// The clauses that are kept go along as a file of rules, which means the same whatever is learnt next.
function learnRest() {
  return attempt("rule-error", async () => {
    const kept = [{ ...rules()[0], clauses: lockedClauses() }];
    const file = await askAbout("/api/export", { format: "json", rules: kept });
    await learn(JSON.parse(file.content));
  });
}

function literals(clause, place) {
  // The joining word stays with what it joins on, wherever the line breaks.
  return clause.literals.map((words, literal) => el("span", { class: "joined" },
    literal ? el("span", { class: "join" }, "and ") : place.clause ? el("span", { class: "join" }, "or ") : null,
    el("button", {
      type: "button", class: "literal", "aria-haspopup": "dialog",
      "data-rule": place.rule, "data-clause": place.clause, "data-literal": literal,
      onclick: (event) => openMenu(event.currentTarget, words, { ...place, literal }, clause.numeric[literal]),
    }, words)));
}

export function summary(rule) {
  const { covered, hits, expected, interval } = rule.figures;
  const open = rule.undecided ? ` Missing cells leave it undecided on ${count(rule.undecided, "row")}.` : "";
  return el("p", { class: "soft" },
    `It is true on ${count(covered, "training row")}${rule.follows ? " of those that are left" : ""}, ${grouped(hits)} of them ${rule.label}.` +
      (covered ? ` On new rows, expect ${percent(expected)} (${percent(interval[0])} to ${percent(interval[1])}).` : "") + open);
}

function empty(rule, view) {
  const words = rule.present
    ? `${rule.label} ${rule.positive ? "never" : "always"}: all clauses are gone.`
    : `No rule for ${rule.label}: either no rule is good enough to justify its length, or the table looks the same with its classes exchanged.`;
  return el("div", { class: "sentence" }, el("p", { class: "none" }, words), rule.present ? addClause(view.rules.indexOf(rule)) : null,
    view.edited ? el("p", { class: "soft" }, "Undo brings them back.") : null);
}
