// What can be done with one literal, and what that would do to the rule.

import { askAbout } from "./api.js";
import { byId, el, replace } from "./dom.js";
import { edit } from "./rule.js";
import { onleave, onview, rules, state } from "./state.js";
import { delta, percent } from "./words.js";

let place = null;
let opener = null;

export function startMenu() {
  for (const kind of ["drop", "flip"]) {
    byId(`menu-${kind}`).addEventListener("click", () => {
      close();
      edit(kind, place);
    });
  }
  byId("menu-close").addEventListener("click", leave);
  byId("menu").addEventListener("keydown", (event) => {
    const buttons = [...byId("menu").querySelectorAll("button")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = buttons.indexOf(document.activeElement);
    if (event.key === "Escape" || (event.key === "Tab" && !buttons[at + (event.shiftKey ? -1 : 1)])) leave();
    if (!step) return;
    event.preventDefault();
    buttons[(at + step + buttons.length) % buttons.length].focus();
  });
  // Its place is one in the rule as it was.
  onview(close);
  onleave(close);
}

export async function openMenu(button, words, at) {
  [place, opener] = [at, button];
  byId("menu-title").textContent = words;
  fill({ drop: null, flip: null });
  const menu = byId("menu");
  menu.showPopover();
  beside(menu, button.getBoundingClientRect());
  byId("menu-drop").focus();
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

function beside(menu, box) {
  const left = Math.min(box.left, window.innerWidth - menu.offsetWidth - 16);
  const below = box.bottom + 6;
  const fits = below + menu.offsetHeight < window.innerHeight;
  menu.style.left = `${Math.max(16, left)}px`;
  menu.style.top = `${fits ? below : Math.max(8, box.top - menu.offsetHeight - 6)}px`;
}

// Back to the condition, from where Tab then goes on.
function leave() {
  close();
  opener?.focus();
}

function close() {
  byId("menu").hidePopover();
}
