// Long work: what is being done, how far it is, and a way to stop it.

import { byId, el } from "./dom.js";

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
