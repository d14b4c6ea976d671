// What the page knows: the table, what was chosen, and every rule so far, to go back to.

const listeners = [];

export const state = {
  source: null, // the File, or the name of a bundled set
  table: null, // what the server calls it
  description: null,
  target: null,
  columns: {}, // what the person changed, by name
  asked: null, // the settings that the rule was learnt with
  row: undefined, // the row that is looked at
  view: null,
  first: null, // the share right of the model's own rule
  history: [], // rules, oldest first
  at: -1,
  dirty: false, // whether there is work that a reload would lose
  restore: null, // sends the table again; set by the module that sends it
};

export function onview(listener) {
  listeners.push(listener);
}

// A new rule from the model: all that went before stays in reach of undo.
export function learnt(view, { fresh }) {
  if (fresh) {
    state.history = [];
    state.at = -1;
    state.dirty = Object.keys(state.columns).length > 0;
  }
  state.first = view.accuracy.share;
  remember(rulesOf(view));
  shown(view);
}

// A rule after an edit, an undo or a redo.
export function shown(view) {
  state.view = view;
  for (const listener of listeners) listener(view);
}

export function remember(rules) {
  const known = JSON.stringify(rules);
  if (state.at >= 0 && JSON.stringify(state.history[state.at]) === known) return;
  state.history = [...state.history.slice(0, state.at + 1), rules];
  state.at = state.history.length - 1;
}

export function rulesOf(view) {
  return view.rules.map((rule) => rule.document);
}

export const rules = () => state.history[state.at];

window.addEventListener("beforeunload", (event) => {
  if (state.dirty) event.preventDefault();
});
