// The rule as a circuit: clauses are lines side by side (OR), their literals switches in a row (AND).

import { byId, replace, svg } from "./dom.js";
import { openMenu } from "./menu.js";
import { clipped } from "./words.js";

const BOX = 30, GAP = 16, LINE = 46, LEFT = 74, RIGHT = 40, LETTER = 7.9, LONGEST = 44;

export function drawDiagram(view) {
  const room = Math.max(300, byId("diagram").clientWidth - 18);
  replace(byId("diagram"), view.rules
    .map((rule, which) => rule.clauses.length ? circuit(rule, which, room, view.rows) : null));
}

function circuit(rule, which, room, rows) {
  let top = 34;
  const many = rule.clauses.length > 1;
  const lines = rule.clauses.map((clause, at) => {
    const found = laid(clause, room);
    const line = { clause, at, top, ...found };
    top += found.height + 10;
    return line;
  });
  const middle = (lines[0].top + lines.at(-1).top) / 2 + BOX / 2;
  const edge = room - RIGHT;
  const picture = svg("svg", { width: room, height: top + 4, viewBox: `0 0 ${room} ${top + 4}`, role: "img", "aria-label": said(rule) },
    svg("text", { class: "head", x: 4, y: 20 }, clipped(`${rule.follows ? "otherwise " : ""}${rule.label} ${rule.positive ? "if" : "unless"}`, 60)),
    svg("path", { class: "wire plain", "stroke-width": 2, d: `M8 ${middle}H30` }),
    svg("circle", { class: "dot", cx: 8, cy: middle, r: 4 }),
    many ? svg("text", { class: "gate", x: 33, y: middle + 4 }, "or") : null,
    lines.map((line) => wires(line, middle, edge, rows, many)),
    svg("path", { class: "wire plain", "stroke-width": 2, d: `M${edge + 26} ${middle}H${room - 8}` }),
    svg("circle", { class: "dot", cx: room - 8, cy: middle, r: 4 }),
    lines.map((line) => line.boxes.map((box) => drawnBox(box, line, which))));
  return picture;
}

// Where each literal of a clause stands; one that does not fit goes on below.
function laid(clause, room) {
  const edge = room - RIGHT;
  const boxes = [];
  let [x, row] = [LEFT, 0];
  clause.literals.forEach((words, literal) => {
    const text = clipped(words, Math.min(LONGEST, Math.floor((edge - LEFT - 24) / LETTER)));
    const width = text.length * LETTER + 20;
    if (x + width > edge && x > LEFT) [x, row] = [LEFT, row + 1];
    boxes.push({ x, row, width, text, words, literal });
    x += width + GAP;
  });
  return { boxes, height: row * LINE + BOX };
}

// The line of a clause, as thick as its share of the rows and coloured by how often it is right.
function wires({ clause, top, boxes }, middle, edge, rows, many) {
  const { covered, precision } = clause.figures;
  const thick = covered ? 1.5 + 7 * Math.sqrt(covered / rows) : 1;
  const y = (row) => top + row * LINE + BOX / 2;
  const start = many ? 52 : 30;
  let d = `M${start} ${middle}C${start + 14} ${middle} ${LEFT - 22} ${y(0)} ${LEFT} ${y(0)}`;
  boxes.forEach((box, i) => {
    const before = boxes[i - 1];
    if (before && before.row !== box.row) {
      const turn = y(before.row) + LINE / 2;
      d += `H${edge - 2}V${turn}H${LEFT - 12}V${y(box.row)}H${LEFT}`;
    }
  });
  const last = boxes.at(-1);
  d += `H${edge - 4}C${edge + 10} ${y(last.row)} ${edge + 10} ${middle} ${edge + 26} ${middle}`;
  const path = svg("path", { class: covered ? "wire mixed" : "wire plain", "stroke-width": thick.toFixed(1), d });
  path.style.setProperty("--right", precision ?? 0);
  return path;
}

function drawnBox(box, line, which) {
  const y = line.top + box.row * LINE;
  const place = { rule: which, clause: line.at, literal: box.literal };
  return svg("g", {
    class: "switch", "data-box": `${which}-${line.at}-${box.literal}`,
    // The keyboard has the same in the sentences above.
    onclick: (event) => openMenu(event.currentTarget, box.words, place, line.clause.numeric[box.literal]),
  }, svg("title", {}, box.words),
  svg("rect", { class: "box", x: box.x, y, width: box.width, height: BOX, rx: 6 }),
  svg("text", { x: box.x + 10, y: y + 20 }, box.text));
}

function said(rule) {
  const clauses = rule.clauses.map((clause) => clause.text).join("; or ");
  return `${rule.label} ${rule.positive ? "if" : "unless"} ${clauses}`;
}

let width = 0;

// Drawn anew when the page becomes narrower or wider.
export function redrawOnResize(current) {
  new ResizeObserver(() => {
    const now = byId("diagram").clientWidth;
    if (now === width || !current()) return;
    width = now;
    drawDiagram(current());
  }).observe(byId("diagram"));
}
