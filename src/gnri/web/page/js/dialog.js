// A small dialog beside the button that opens it.

import { byId } from "./dom.js";
import { onleave, onview } from "./state.js";

export function dialog(id) {
  const box = byId(id);
  let opener = null;
  const place = () => beside(box, opener.getBoundingClientRect());
  const close = () => box.hidePopover();
  // Back to where Tab then goes on.
  const leave = () => {
    close();
    opener?.focus();
  };
  byId(`${id}-close`).addEventListener("click", leave);
  walk(box, leave);
  // It is about a place in the rule as it was.
  onview(close);
  onleave(close);
  return {
    close,
    place,
    open(button) {
      opener = button;
      box.showPopover();
      place();
    },
  };
}

// The arrows go through the buttons of a dialog; Escape, and Tab beyond either end, leave it.
function walk(box, leave) {
  box.addEventListener("keydown", (event) => {
    const stops = [...box.querySelectorAll("button, input, select")].filter((one) => one.checkVisibility() && !one.disabled);
    const step = document.activeElement.matches("button") ? { ArrowDown: 1, ArrowUp: -1 }[event.key] : 0;
    const at = stops.indexOf(document.activeElement);
    if (event.key === "Escape" || (event.key === "Tab" && !stops[at + (event.shiftKey ? -1 : 1)])) leave();
    if (!step) return;
    event.preventDefault();
    stops[(at + step + stops.length) % stops.length].focus();
  });
}

function beside(box, button) {
  box.style.maxHeight = "";
  const left = Math.min(button.left, window.innerWidth - box.offsetWidth - 16);
  const below = button.bottom + 6;
  const lowest = window.innerHeight - box.offsetHeight - 8;
  const above = button.top - box.offsetHeight - 6;
  box.style.left = `${Math.max(16, left)}px`;
  const top = Math.max(8, below <= lowest ? below : above >= 8 ? above : lowest);
  Object.assign(box.style, { top: `${top}px`, maxHeight: `${window.innerHeight - top - 8}px` });
}
