// Numbers as people read them.

// A share in percent; only all is 100 and only nothing is 0.
export function percent(share) {
  if (share === null || share === undefined) return "-";
  if (share === 0 || share === 1) return `${share * 100} %`;
  return `${Math.min(Math.max(share * 100, 0.1), 99.9).toFixed(1)} %`;
}

export const grouped = (number) => number.toLocaleString("en");

export function count(number, thing) {
  return `${grouped(number)} ${thing}${number === 1 ? "" : "s"}`;
}

// Shortened in its middle: a condition is told by how it begins and by how it ends. A character of
// two units, which is about as wide as two letters, is left out rather than cut in half.
export function clipped(text, length) {
  if (text.length <= length) return text;
  const tail = Math.min(9, Math.floor((length - 1) / 2));
  const start = text.slice(0, Math.max(1, length - 1 - tail)).replace(/[\ud800-\udbff]$/, "");
  return `${start}…${text.slice(text.length - tail).replace(/^[\udc00-\udfff]/, "")}`;
}

// How much a share has moved, in points, and in which direction.
export function delta(now, before) {
  const points = (now - before) * 100;
  if (Math.abs(points) < 0.05) return { text: "±0.0", way: "" };
  return { text: `${points > 0 ? "+" : "−"}${Math.abs(points).toFixed(1)}`, way: points > 0 ? "up" : "down" };
}
