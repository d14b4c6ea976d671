// Answer requests, one line of JSON each: a DMN document, and rows of cells in the order of its inputs.
// dmn-moddle reads the document and feelin evaluates FEEL; this adds the hit policies FIRST and C+.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const { resolve } = createRequire(new URL("../../build/web/node_modules/x.js", import.meta.url));
const { DmnModdle } = await import(resolve("dmn-moddle"));
const { evaluate, unaryTest } = await import(resolve("feelin"));
const moddle = new DmnModdle();

function check({ value, warnings }) {
  if (warnings.length) throw new Error(JSON.stringify(warnings));
  return value;
}

async function answer({ source, rows }) {
  const { rootElement, warnings } = await moddle.fromXML(source);
  check({ warnings });
  const elements = rootElement.get("drgElement");
  const inputs = elements.filter((one) => one.$type === "dmn:InputData");
  const decisions = elements.filter((one) => one.$type === "dmn:Decision");
  const tables = decisions.map(({ name, decisionLogic, informationRequirement = [] }) => ({
    name,
    first: decisionLogic.hitPolicy === "FIRST",
    sum: decisionLogic.hitPolicy === "COLLECT" && decisionLogic.aggregation === "SUM",
    reads: informationRequirement.map((one) => (one.requiredInput ?? one.requiredDecision).href.slice(1)),
    tests: (decisionLogic.input ?? []).map((one) => one.inputExpression.text),
    rules: decisionLogic.rule.map((one) => ({
      entries: (one.inputEntry ?? []).map((entry) => entry.text),
      output: check(evaluate(one.outputEntry[0].text)),
    })),
  }));
  const known = new Map();
  const once = (key, compute) => {
    if (!known.has(key)) known.set(key, check(compute()));
    return known.get(key);
  };
  const read = (name, scope) => once(JSON.stringify([name, scope[name]]), () => evaluate(name, scope));
  const holds = (test, value, scope) => {
    const key = JSON.stringify([test, value, test.includes("max(") ? scope : "alone"]);
    return once(key, () => unaryTest(test, { ...scope, "?": value })) === true;
  };
  return rows.map((row) => {
    const all = Object.fromEntries(inputs.map((one, i) => [one.id, [one.name, row[i]]]));
    for (const { name, first, sum, reads, tests, rules } of tables) {
      const scope = Object.fromEntries(reads.map((id) => all[id]));
      const values = tests.map((one) => read(one, scope));
      const hits = rules.filter(({ entries }) => entries.every((one, i) => holds(one, values[i], scope)));
      if (!hits.length || first === sum) throw new Error(`no rule of ${name} applies, or its hit policy is unknown`);
      all[name] = [name, first ? hits[0].output : hits.reduce((total, { output }) => total + output, 0)];
    }
    return all.prediction[1];
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const result = await answer(JSON.parse(line)).then((answers) => ({ answers }), (error) => ({ error: String(error) }));
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
