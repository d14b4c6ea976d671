// Long work: what is being done, how far it is, a way to stop it, and what went wrong.

import { askAbout } from "./api.js";
import { byId, complain, el, replace } from "./dom.js";
import { onlearnt } from "./state.js";

// What the server answers about the rule that is shown; undefined if it was cancelled, or failed, which is said at `place`.
export function askLong(place, title, path, body = {}) {
  return attempt(place, () => withProgress(title, (options) => askAbout(path, body, options)));
}

// A button that asks the server about the rule, and the place of the answer, until other rows or questions are learnt from.
export function answering(id, place, title, path, draw) {
  byId(`${id}-ask`).addEventListener("click", async () => {
    const found = await askLong(`${id}-error`, title, path);
    if (found) draw(found);
  });
  onlearnt(() => {
    replace(byId(place));
    complain(`${id}-error`, null);
  });
}

// Does some work, and says at `place` why it failed, unless it was stopped.
export async function attempt(place, work) {
  complain(place, null);
  try {
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") complain(place, error.message);
    return undefined;
  }
}

// Runs work({onstep, signal}) with a bar in the corner. Resolves to undefined if it is cancelled, or
// stopped since nobody needs it any more.
export async function withProgress(title, work, stop = new AbortController()) {
  const bar = el("progress", { max: 1, "aria-label": title });
  const words = el("p", {}, title);
  const cancel = el("button", { type: "button", onclick: () => stop.abort() }, "Cancel");
  const box = el("div", { class: "job" }, words, bar, cancel);
  // Work that is done at once shows no bar at all.
  const late = setTimeout(() => byId("jobs").append(box), 250);
  const onstep = (share, note) => {
    bar.value = share;
    words.textContent = note ? `${title}: ${note}` : title;
  };
  try {
    return await work({ onstep, signal: stop.signal });
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    throw error;
  } finally {
    clearTimeout(late);
    box.remove();
  }
}
