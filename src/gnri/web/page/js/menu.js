// What can be done with one literal, and what that would do to the rule.

import { askAbout } from "./api.js";
import { byId, el, replace } from "./dom.js";
import { dialog } from "./dialog.js";
import { drop, flip } from "./edits.js";
import { edit } from "./rule.js";
import { drawThreshold, hideThreshold } from "./threshold.js";
import { rules, state } from "./state.js";
import { delta, percent } from "./words.js";

let place = null;
let menu = null;

export function startMenu() {
  for (const [kind, change] of Object.entries({ drop, flip })) byId(`menu-${kind}`).addEventListener("click", () => apply(change));
  menu = dialog("menu");
}

function apply(change) {
  menu.close();
  edit(change, place);
}

export async function openMenu(button, words, at, numeric) {
  place = at;
  byId("menu-title").textContent = words;
  fill({ drop: null, flip: null });
  hideThreshold();
  menu.open(button);
  byId("menu-drop").focus();
  if (numeric) drawThreshold(at, () => place === at, apply, menu.place);
  try {
    const found = await askAbout("/api/edits", { ...at, rules: rules() });
    if (place === at) fill(found);
  } catch {
    // The menu works without the preview; an edit that fails says why.
  }
}

function fill(shares) {
  const words = { drop: "Drop it", flip: "Negate it" };
  for (const [kind, label] of Object.entries(words)) {
    const share = shares[kind];
    const way = share === null ? "" : delta(share, state.view.accuracy.share).way;
    replace(byId(`menu-${kind}`), `${label} `, share === null ? null : el("b", { class: way }, percent(share)));
  }
}
