// What can be done with one literal, and what that would do to the rule.

import { askAbout } from "./api.js";
import { byId, el, replace } from "./dom.js";
import { drop, flip } from "./edits.js";
import { edit } from "./rule.js";
import { drawThreshold, hideThreshold } from "./threshold.js";
import { onleave, onview, rules, state } from "./state.js";
import { delta, percent } from "./words.js";

let place = null;
let opener = null;

export function startMenu() {
  for (const [kind, change] of Object.entries({ drop, flip })) byId(`menu-${kind}`).addEventListener("click", () => apply(change));
  byId("menu-close").addEventListener("click", leave);
  walk(byId("menu"), leave);
  // Its place is one in the rule as it was.
  onview(close);
  onleave(close);
}

function apply(change) {
  close();
  edit(change, place);
}

// The arrows go through the buttons of a dialog; Escape, and Tab beyond either end, leave it.
export function walk(dialog, leave) {
  dialog.addEventListener("keydown", (event) => {
    const stops = [...dialog.querySelectorAll("button, input, select")].filter((one) => one.checkVisibility() && !one.disabled);
    const step = document.activeElement.matches("button") ? { ArrowDown: 1, ArrowUp: -1 }[event.key] : 0;
    const at = stops.indexOf(document.activeElement);
    if (event.key === "Escape" || (event.key === "Tab" && !stops[at + (event.shiftKey ? -1 : 1)])) leave();
    if (!step) return;
    event.preventDefault();
    stops[(at + step + stops.length) % stops.length].focus();
  });
}

export async function openMenu(button, words, at, numeric) {
  [place, opener] = [at, button];
  byId("menu-title").textContent = words;
  fill({ drop: null, flip: null });
  hideThreshold();
  const menu = byId("menu");
  menu.showPopover();
  beside(menu, button.getBoundingClientRect());
  byId("menu-drop").focus();
  if (numeric) drawThreshold(at, () => place === at, apply, () => beside(menu, opener.getBoundingClientRect()));
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

export function beside(menu, box) {
  menu.style.maxHeight = "";
  const left = Math.min(box.left, window.innerWidth - menu.offsetWidth - 16);
  const below = box.bottom + 6;
  const lowest = window.innerHeight - menu.offsetHeight - 8;
  const above = box.top - menu.offsetHeight - 6;
  menu.style.left = `${Math.max(16, left)}px`;
  const top = Math.max(8, below <= lowest ? below : above >= 8 ? above : lowest);
  Object.assign(menu.style, { top: `${top}px`, maxHeight: `${window.innerHeight - top - 8}px` });
}

// Back to the condition, from where Tab then goes on.
function leave() {
  close();
  opener?.focus();
}

function close() {
  byId("menu").hidePopover();
}
