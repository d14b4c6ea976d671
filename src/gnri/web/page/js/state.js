// What the page knows: the table, what was chosen, and every rule so far, to go back to.

const viewers = [];
const leavers = [];

export const state = {
  source: null, // the File, or the name of a bundled set
  table: null, // what the server calls it
  description: null,
  target: null,
  told: false, // whether the person has said what to predict
  columns: Object.create(null), // what the person changed, by name: any name, "__proto__" too
  asked: null, // the settings that the rule was learnt with
  row: undefined, // the row that is looked at
  view: null,
  aim: {}, // floors and weights of classes that were asked for
  locked: new Set(), // clauses to keep when the rest is learnt, by their words
  history: [], // rules, oldest first, each with how what it comes from was learnt
  at: -1,
  dirty: false, // whether there is work that a reload would lose
  stop: new AbortController(), // ends all that is still being asked about the rule
  resend: null, // sends the table again; set by the module that sends it
};

export function onview(listener) {
  viewers.push(listener);
}

// Told only of a view of rules learnt from other rows or questions than the one before; an edit is none.
export function onlearnt(listener) {
  let known = null;
  onview((view) => {
    if (known === view.learnt) return;
    known = view.learnt;
    listener(view);
  });
}

export function onleave(listener) {
  leavers.push(listener);
}

// Another table or target: whatever was said of the one before does not hold for it.
export function left() {
  startAnew();
  for (const listener of leavers) listener();
}

// A rule from the model. If it answers the same questions about the same rows as the one before, all
// that went before stays in reach of undo; of other questions the rules so far know nothing.
export function learnt(view, asked) {
  if (view.learnt !== state.view?.learnt) {
    if (about(asked) === about(state.asked ?? {})) stop();
    else startAnew();
  }
  state.asked = asked;
  remember(view, view.accuracy.share);
  shown(view);
}

// What is learnt from: clauses to keep, floors and weights of classes do not change that.
const about = ({ target, columns, form, weight }) => JSON.stringify([target, columns, form, weight]);

// A rule after an edit, an undo or a redo.
export function shown(view) {
  state.view = view;
  for (const listener of viewers) listener(view);
}

// `first` is the share right of the model's own rule, from which the edits went out.
export function remember(view, first = now().first) {
  const next = { asked: state.asked, learnt: view.learnt, first, rules: view.rules.map((rule) => rule.document) };
  if (state.at >= 0 && JSON.stringify(now()) === JSON.stringify(next)) return;
  state.history = [...state.history.slice(0, state.at + 1), next];
  state.at = state.history.length - 1;
}

export const now = () => state.history[state.at];
export const rules = () => now().rules;

function startAnew() {
  stop();
  const dirty = Object.keys(state.columns).length > 0;
  Object.assign(state, { view: null, asked: null, history: [], at: -1, locked: new Set(), dirty });
}

function stop() {
  state.stop.abort();
  state.stop = new AbortController();
}

window.addEventListener("beforeunload", (event) => {
  if (state.dirty) event.preventDefault();
});
