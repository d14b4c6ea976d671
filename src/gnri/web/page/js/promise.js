// The playground: change the table, ask again, compare.

import { byId, complain, el, replace, show, tabled } from "./dom.js";
import { corner } from "./corner.js";
import { askLong } from "./jobs.js";
import { onview, state } from "./state.js";
import { grouped } from "./words.js";

const NAMES = { rule: "The rule", tree: "A decision tree" };
const MOST = { rule: 12, tree: 5 }; // clauses shown
const drawn = () => crypto.getRandomValues(new Uint32Array(1))[0]; // a seed
let turn = 0;

export function startPromise() {
  for (const button of document.querySelectorAll("[data-change]")) {
    button.addEventListener("click", () => play(button.dataset.change, button.textContent));
  }
  byId("audit").addEventListener("click", audit);
  onview((view) => {
    const present = [...view.rules.keys()].filter((which) => view.rules[which].present);
    show("which-box", present.length > 1);
    const now = Number(byId("which").value);
    replace(byId("which"), present.map((which) => el("option", { value: which }, view.rules[which].label)));
    byId("which").value = present.includes(now) ? now : present[0] ?? 0;
    replace(byId("played"));
    replace(byId("audited"));
    complain("promise-error", null);
    turn += 1;
  });
}

const ask = (title, path, body) => askLong("promise-error", `${title}: ${NAMES[body.learner].toLowerCase()}`, path, body);

async function play(change, title) {
  const mine = ++turn;
  const body = { change, rule: Number(byId("which").value || 0), seed: drawn() };
  for (const learner of ["rule", "tree"]) {
    const found = await ask(title, "/api/playground", { ...body, learner });
    if (!found || mine !== turn) return;
    if (learner === "rule") replace(byId("played"), corners(found.tables));
    byId("played").dataset.change = change;
    byId("played").append(compared(found, learner));
  }
}

function corners(tables) {
  return el("div", { class: "corners" },
    corner("A part of your table, as questions", tables.before),
    el("span", { class: "arrow", "aria-hidden": "true" }, "→"),
    corner("The same part after the change", tables.after));
}

function compared(found, learner) {
  const badge = el("span", { class: `badge ${found.same ? "good" : "bad"}` }, verdict(found));
  return el("div", { class: "played", "data-learner": learner, "data-identical": String(found.identical) },
    el("h3", {}, NAMES[learner], badge),
    found.same ? null : el("p", { class: "soft" }, where(found)),
    el("div", { class: "sides" },
      side("The old one, changed like the table", found.expected, found.same, MOST[learner]),
      side("The new one, learnt from the changed table", found.found, found.same, MOST[learner])));
}

function verdict(found) {
  if (found.identical) return "✓ identical in every condition";
  return found.same ? "✓ equivalent" : "✗ different";
}

function where({ differs }) {
  const [rows, sample] = differs.of;
  return `The two predict different classes for ${differs.rows} of your ${grouped(rows)} rows, and for ` +
    `${differs.sample} of ${grouped(sample)} random rows.`;
}

function side(title, rule, same, most) {
  if (!rule) return el("div", { class: "side" }, el("h4", {}, title), el("p", { class: "none" }, "no rule"));
  const shown = rule.clauses.slice(0, most);
  const items = shown.map(({ words, shared }, at) => el("li", { class: shared || same ? null : "alone" },
    at ? el("i", {}, "or ") : null,
    words.flatMap((word, i) => (i ? [el("i", {}, " and "), word] : [word]))));
  const more = rule.count - shown.length;
  return el("div", { class: "side" }, el("h4", {}, title), el("strong", {}, rule.head), el("ul", {}, items),
    more > 0 ? el("p", { class: "soft" }, `and ${more} more clauses`) : null);
}

async function audit() {
  const { view } = state, found = {};
  for (const learner of ["rule", "tree"]) {
    found[learner] = await ask("Thirteen changes", "/api/audit", { learner, seed: drawn() });
    if (!found[learner] || state.view !== view) return;
  }
  replace(byId("audited"), tally(found));
}

function tally(found) {
  const mark = ({ rule_eq: share }) => el("td", { class: share === 1 ? "good" : "bad" },
    share === 1 ? "✓ followed" : share === 0 ? "✗ changed" : `✗ followed ${Math.round(share * 100)} %`);
  const rows = found.rule.transforms.map((one, i) =>
    el("tr", {}, el("th", { scope: "row" }, one.transform), mark(one), mark(found.tree.transforms[i])));
  const kept = (report) => report.gaps.filter((gap) => gap.equal).length;
  return [
    el("p", {}, `The rule followed ${kept(found.rule)} of ${found.rule.gaps.length} changes, the tree ` +
      `${kept(found.tree)} of ${found.tree.gaps.length}.`),
    el("div", { class: "scroll", role: "region", "aria-label": "Thirteen changes", tabindex: 0 },
      el("table", { class: "tally" }, tabled(["what was changed", NAMES.rule, NAMES.tree], rows))),
  ];
}
