// Answer requests, one line of JSON each: the source of a module, columns, and rows of cells.

import { createInterface } from "node:readline";

async function answer({ source, columns, rows }) {
  const { predict } = await import(`data:text/javascript;base64,${Buffer.from(source).toString("base64")}`);
  return rows.map((row) => predict(Object.fromEntries(row.map((cell, i) => [columns[i], number(cell)]))));
}

const number = (cell) => (cell?.number === undefined ? cell : Number(cell.number));
const whole = (key, value) => (typeof value === "bigint" ? { whole: String(value) } : value);

for await (const line of createInterface({ input: process.stdin })) {
  const result = await answer(JSON.parse(line)).then((answers) => ({ answers }), (error) => ({ error: String(error) }));
  process.stdout.write(`${JSON.stringify(result, whole)}\n`);
}
