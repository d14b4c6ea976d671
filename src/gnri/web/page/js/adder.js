// Conditions to add to a clause, or clauses to add, by how many training rows become right.

import { askAbout } from "./api.js";
import { dialog } from "./dialog.js";
import { byId, el, replace } from "./dom.js";
import { add } from "./edits.js";
import { edit } from "./rule.js";
import { rules } from "./state.js";
import { count, grouped } from "./words.js";

let place = null;
let adder = null;
let options = [];

export function startAdder() {
  const choice = byId("adder-choice");
  byId("adder-add").addEventListener("click", take);
  choice.addEventListener("dblclick", take);
  choice.addEventListener("keydown", (event) => event.key === "Enter" && take());
  adder = dialog("adder");
}

export async function openAdder(button, at) {
  [place, options] = [at, []];
  byId("adder-title").textContent = at.clause === undefined ? "Add a clause" : "Add a condition";
  byId("adder-note").textContent = "counting …";
  byId("adder-now").textContent = "";
  replace(byId("adder-choice"));
  byId("adder-add").disabled = true;
  adder.open(button);
  byId("adder-choice").focus();
  try {
    const found = await askAbout("/api/suggest", { ...at, rules: rules() });
    if (place === at) fill(found);
  } catch (error) {
    if (place === at) byId("adder-note").textContent = error.message;
  }
}

function fill(found) {
  options = found.options;
  const more = found.of - options.length;
  byId("adder-note").textContent = options.length
    ? `How many more training rows are right than the ${grouped(found.right)} of now, the best first.${more > 0 ? ` ${count(more, "other")} not shown.` : ""}`
    : "Nothing can be added that changes which rows are covered.";
  const choice = byId("adder-choice");
  choice.onchange = () => {
    const { words, right, covered } = options[choice.value];
    byId("adder-now").textContent = `${words}: ${signed(right - found.right)} training rows right; the clause then covers ${grouped(covered)}.`;
  };
  replace(choice, options.map(({ words, right }, i) =>
    el("option", { value: i, selected: i === 0 }, `${signed(right - found.right)} · ${words}`)));
  byId("adder-add").disabled = !options.length;
  if (options.length) choice.onchange();
}

const signed = (rows) => (rows > 0 ? `+${rows}` : rows < 0 ? `−${-rows}` : "±0");

function take() {
  const chosen = options[byId("adder-choice").value];
  if (!chosen) return;
  adder.close();
  edit(add(chosen.literals), place);
}
