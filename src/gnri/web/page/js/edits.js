// What a person may do to a rule: each takes the rules as they are sent, and changes them.

// A clause that loses its last literal goes with it.
export function drop(rules, { rule, clause, literal }) {
  rules[rule].clauses[clause].splice(literal, 1);
  rules[rule].clauses = rules[rule].clauses.filter((left) => left.length > 0);
}

export function flip(rules, { rule, clause, literal }) {
  const one = rules[rule].clauses[clause][literal];
  one[1] = !one[1];
}

// A threshold of one's own is named by its column and its number.
export const moveTo = (column, cut) => (rules, { rule, clause, literal }) => {
  rules[rule].clauses[clause][literal][0] = [column, cut];
};

// To a clause or, without one, as a clause of its own, which comes last.
export const add = (literals) => (rules, { rule, clause }) => {
  if (clause === undefined) rules[rule].clauses.push(literals);
  else rules[rule].clauses[clause].push(...literals);
};

// The server says which lines raise a cell by one point.
export const raise = (lines, by) => (rules, { rule }) => {
  rules[rule].points.push(...lines.map(([line, points]) => [line, points * by]));
};

export const raiseThreshold = (by) => (rules, { rule }) => {
  rules[rule].threshold += by;
};
