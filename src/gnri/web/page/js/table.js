// The table: taking it in, what its columns are read as, and asking for its rule.

import { forget, job, sendFile } from "./api.js";
import { byId, complain, el, replace, show, tabled } from "./dom.js";
import { attempt, withProgress } from "./jobs.js";
import { learn, offer } from "./learn.js";
import { left, state } from "./state.js";
import { count } from "./words.js";
import { columnRow } from "./columns.js";

const FORMS = { auto: "clauses or points, whichever is better", dnf: "clauses", scorecard: "points", checklist: "a checklist" };
let limits = { body: Infinity };
let last = new AbortController();

export function startTable(about) {
  limits = about.limits;
  replace(byId("sets"), about.datasets.map(({ name, about: words }) =>
    el("li", {}, el("button", { type: "button", onclick: () => take(name) }, el("strong", {}, name), el("span", {}, words)))));
  byId("file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    // Or else the same file, chosen again, would be no change.
    event.target.value = "";
    if (file) take(file);
  });
  byId("target").addEventListener("change", (event) => chooseTarget(event.target.value));
  replace(byId("form"), about.forms.map((form) => el("option", { value: form, selected: form === about.form }, FORMS[form] ?? form)));
  byId("balance").addEventListener("change", () => delete state.aim.class_weight);
  for (const id of ["form", "balance", "weight"]) byId(id).addEventListener("change", () => state.told && learn());
  byId("weight").addEventListener("change", drawColumns);
  byId("learn").addEventListener("click", start);
  byId("relearn").addEventListener("click", start);
  dropping(byId("drop"));
  window.addEventListener("pagehide", () => forget(state.table));
  state.resend = async (options) => {
    state.table = (await send(state.source, options)).table;
  };
}

async function take(source) {
  if (state.dirty && !window.confirm("Your edits have not been downloaded and will be lost. Open another table?")) return;
  last.abort();
  last = new AbortController();
  if (source.size > limits.body) {
    const size = Math.floor(limits.body / 2 ** 20);
    complain("start-error", `${source.name} is too large: at most ${size} MiB can be sent. Try a sample of its rows.`);
    return;
  }
  await attempt("start-error", async () => {
    const found = await withProgress("Reading the table", (options) => send(source, options), last);
    // Only now: a file that is no table leaves the one before it as it was.
    if (found) await startWith(source, found);
  });
}

async function startWith(source, found) {
  forget(state.table);
  const columns = Object.create(null);
  Object.assign(state, { source, table: found.table, description: found, target: found.target, columns, row: undefined });
  // Of a table from outside only its owner knows which column is the target.
  state.told = typeof source === "string";
  left();
  describe();
  if (state.told || !state.target) await start();
  else byId("target").focus();
}

// Columns of another rule that can do without them.
export function leaveOut(names) {
  for (const name of names) state.columns[name] = { ...state.columns[name], kind: "leave out" };
  state.dirty = true;
  drawColumns();
  return start();
}

async function start() {
  state.told = true;
  show("learn", false);
  if (await learn()) byId("rule-title").focus();
}

function send(source, options) {
  return typeof source === "string" ? job("/api/tables", { dataset: source }, options) : sendFile(source, options);
}

function describe() {
  const { name, rows, columns } = state.description;
  byId("table-about").textContent = `${name}: ${count(rows, "row")}, ${count(columns.length, "column")}`;
  replace(byId("target"), targets(columns));
  byId("target").value = state.target ?? "";
  byId("balance").value = "";
  offerWeights();
  drawColumns();
  show("table", true);
  show("learn", !state.told);
}

// A column that cannot be predicted is listed all the same: whoever looks for it learns why.
function targets(columns) {
  const unable = columns.filter((column) => !column.classes);
  return [
    columns.filter((column) => column.classes).map(({ name }) => el("option", { value: name }, name)),
    unable.length ? el("optgroup", { label: "Cannot be predicted" }, unable.map(({ name, no_target: reason }) =>
      el("option", { value: name, disabled: true }, `${name}: ${reason}`))) : null,
  ];
}

// Of another target a weight is asked for anew.
function offerWeights() {
  const numbers = state.description.columns.filter(({ name, kind }) => kind === "number" && name !== state.target);
  replace(byId("weight"), [el("option", { value: "" }, "once"),
    numbers.map(({ name }) => el("option", { value: name }, `as often as ${name} says`))]);
}

function drawColumns() {
  const unused = [state.target, byId("weight").value];
  const learntFrom = state.description.columns.filter(({ name }) => !unused.includes(name));
  const kindOf = ({ name, kind }) => state.columns[name]?.kind ?? kind;
  const out = learntFrom.filter((column) => kindOf(column) === "leave out").length;
  const odd = learntFrom.filter((column) => column.note && kindOf(column) !== "leave out").length;
  const missing = learntFrom.filter((column) => column.missing > 0).length;
  const target = state.description.columns.find((column) => column.name === state.target);
  const unlabelled = target ? Math.round(target.missing * state.description.rows) : 0;
  byId("unlabelled").textContent = `${count(unlabelled, "row")} without a value of ${state.target} will be left out.`;
  show("unlabelled", unlabelled > 0);
  byId("columns-summary").textContent =
    `${count(learntFrom.length - out, "column")} to learn from` +
    (out ? `, ${out} left out` : "") + (odd ? `, ${odd} to check` : "") + (missing ? `, ${missing} with missing cells` : "");
  replace(byId("columns"), tabled(["column", "type", "missing", "questions"], learntFrom.map((column) => columnRow(column, changed))));
}

function changed(name, change) {
  state.columns[name] = { ...state.columns[name], ...change };
  state.dirty = true;
  offer();
}

function chooseTarget(name) {
  state.target = name;
  left();
  offerWeights();
  drawColumns();
  if (state.told) learn();
}

function dropping(zone) {
  const over = (event, on) => {
    event.preventDefault();
    zone.classList.toggle("over", on);
  };
  for (const kind of ["dragenter", "dragover"]) zone.addEventListener(kind, (event) => over(event, true));
  zone.addEventListener("dragleave", (event) => over(event, false));
  zone.addEventListener("drop", (event) => {
    over(event, false);
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });
  // A file that misses the zone must not replace the page.
  for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (event) => event.preventDefault());
}
