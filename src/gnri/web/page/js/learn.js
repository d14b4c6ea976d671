// Asking for the rule of the table as it is set up.

import { askTable } from "./api.js";
import { parseThresholds } from "./columns.js";
import { byId, complain } from "./dom.js";
import { attempt, withProgress } from "./jobs.js";
import { learnt, state } from "./state.js";

let last = new AbortController();

// Whether there is a new rule, with the clauses of `keep` in it. What was asked for before is stopped:
// nobody waits for it any more.
export async function learn(keep) {
  last.abort();
  const mine = (last = new AbortController());
  const asked = { ...settings(), ...(keep && { keep }) };
  const wrong = whatIsWrong(asked);
  complain("table-error", wrong);
  if (!wrong) await ask(asked, mine);
  if (mine !== last) return false;
  offer();
  // Without a rule this is the place to go on from.
  if (!state.view) byId("columns-box").open = true;
  if (!byId("table-error").hidden) byId("table-error").scrollIntoView({ block: "nearest" });
  return state.asked === asked;
}

async function ask(asked, stop) {
  await attempt("table-error", async () => {
    const view = await withProgress("Learning the rule", (options) => askTable("/api/induce", asked, options), stop);
    if (view) learnt(view, asked);
  });
}

// To learn again is offered whenever the rule that is shown was learnt with other settings, or none is.
export function offer() {
  byId("relearn").disabled = JSON.stringify(settings()) === JSON.stringify(state.asked);
}

function settings() {
  const columns = Object.create(null);
  for (const { name, kind } of state.description.columns) {
    if (name === state.target || name === byId("weight").value) continue;
    const mine = state.columns[name] ?? {};
    columns[name] = { kind: mine.kind ?? kind };
    if ("thresholds" in mine && columns[name].kind === "number") columns[name].thresholds = parseThresholds(mine.thresholds);
  }
  return { target: state.target, columns, form: byId("form").value, ...weights() };
}

// How much classes and rows count, if not all the same.
function weights() {
  const balance = byId("balance").value, weight = byId("weight").value;
  return { ...(balance && { class_weight: balance }), ...(weight && { weight }), ...state.aim };
}

function whatIsWrong({ target, columns }) {
  if (!target) return "No column has a few classes, so there is nothing to predict.";
  const name = Object.keys(columns).find((one) => columns[one].thresholds === null);
  return name === undefined ? null
    : `The thresholds of ${name} must be numbers with commas between them, got "${state.columns[name].thresholds}". Correct them, then learn again.`;
}
