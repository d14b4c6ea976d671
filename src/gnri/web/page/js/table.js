// The table: taking it in, what its columns are read as, and asking for its rule.

import { askAbout, forget, job, sendFile } from "./api.js";
import { byId, complain, el, replace, show } from "./dom.js";
import { withProgress } from "./jobs.js";
import { learnt, state } from "./state.js";
import { count } from "./words.js";
import { columnRow } from "./columns.js";

let limits = { body: Infinity };
let turn = 0;

export function startTable(about) {
  limits = about.limits;
  replace(byId("sets"), about.datasets.map(({ name, about: words }) =>
    el("li", {}, el("button", { type: "button", onclick: () => take(name) }, el("strong", {}, name), el("span", {}, words)))));
  byId("file").addEventListener("change", (event) => event.target.files[0] && take(event.target.files[0]));
  byId("target").addEventListener("change", (event) => chooseTarget(event.target.value));
  byId("relearn").addEventListener("click", () => learn({ fresh: false }));
  dropping(byId("drop"));
  window.addEventListener("pagehide", () => forget(state.table));
  state.restore = async (status, options) => {
    if (status === 404) state.table = (await send(state.source, options)).table;
    await askAbout("/api/induce", settings(), options);
  };
}

async function take(source) {
  if (state.dirty && !window.confirm("Your edits to the rule have not been downloaded. Go on with another table?")) return;
  const mine = ++turn;
  complain("start-error", null);
  if (source.size > limits.body) {
    const size = Math.floor(limits.body / 2 ** 20);
    complain("start-error", `${source.name} is too large: at most ${size} MiB can be sent. Try a sample of its rows.`);
    return;
  }
  try {
    const found = await withProgress("Reading the table", (options) => send(source, options));
    if (!found || mine !== turn) return;
    // Only now: a file that is no table leaves the one before it as it was.
    forget(state.table);
    Object.assign(state, { source, table: found.table, description: found, target: found.target, columns: {}, row: undefined });
    complain("table-error", null);
    describe();
    if (await learn({ fresh: true })) byId("rule-title").focus();
  } catch (error) {
    complain("start-error", error.message);
  } finally {
    byId("file").value = "";
  }
}

function send(source, options) {
  return typeof source === "string" ? job("/api/tables", { dataset: source }, options) : sendFile(source, options);
}

function describe() {
  const { name, rows, columns } = state.description;
  byId("table-about").textContent = `${name}: ${count(rows, "row")}, ${count(columns.length, "column")}`;
  replace(byId("target"), targets().map((column) => el("option", { value: column.name }, column.name)));
  byId("target").value = state.target ?? "";
  drawColumns();
  show("table", true);
  if (!state.target) complain("table-error", "No column holds a few classes and no missing cell, so there is nothing to predict.");
}

function targets() {
  const able = state.description.columns.filter((column) => column.classes);
  return able.length ? able : state.description.columns;
}

function drawColumns() {
  const learntFrom = state.description.columns.filter((column) => column.name !== state.target);
  const missing = learntFrom.filter((column) => column.missing > 0).length;
  byId("columns-summary").textContent =
    `${count(learntFrom.length, "column")} to learn from` + (missing ? `, ${missing} with missing cells` : "");
  const heads = ["column", "read as", "missing", "asked"].map((head) => el("th", { scope: "col" }, head));
  replace(byId("columns"), el("thead", {}, el("tr", {}, heads)),
    el("tbody", {}, learntFrom.map((column) => columnRow(column, changed))));
  byId("relearn").disabled = true;
}

function changed(name, change) {
  state.columns[name] = { ...state.columns[name], ...change };
  state.dirty = true;
  byId("relearn").disabled = false;
}

function chooseTarget(name) {
  state.target = name;
  drawColumns();
  learn({ fresh: true });
}

function settings() {
  const columns = {};
  for (const { name, kind } of state.description.columns) {
    if (name === state.target) continue;
    const mine = state.columns[name] ?? {};
    const wanted = { kind: mine.kind ?? kind };
    if (mine.cuts && wanted.kind === "number") wanted.cuts = mine.cuts;
    columns[name] = wanted;
  }
  return { target: state.target, columns };
}

// The rule of the table as it is set up. Other columns or cuts make other questions, of which the
// rules so far know nothing: then, and with `fresh`, the history of edits starts anew.
export async function learn({ fresh }) {
  if (!state.target) return false;
  complain("table-error", null);
  const mine = ++turn;
  const asked = JSON.stringify(settings());
  try {
    const view = await withProgress("Looking for the rule", (options) => askAbout("/api/induce", settings(), options));
    if (!view || mine !== turn) return false;
    learnt(view, { fresh: fresh || asked !== state.asked });
    state.asked = asked;
    byId("relearn").disabled = true;
    return true;
  } catch (error) {
    complain("table-error", error.message);
    return false;
  }
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
