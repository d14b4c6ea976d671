// Asking the server. Long jobs come as lines of JSON with their progress; aborting stops them.

import { now, state } from "./state.js";

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function ask(path, body, signal) {
  const response = await sent(path, { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(body), signal });
  return answered(response);
}

export async function about() {
  return answered(await sent("/api/about", {}));
}

// A job about a table that the server keeps; if it has been freed meanwhile, it is sent again.
export function askTable(path, body, options) {
  const run = () =>
    options.onstep
      ? job(path, { ...body, table: state.table }, options)
      : ask(path, { ...body, table: state.table }, options.signal);
  return mended(run, 404, () => state.resend(options));
}

// A job about the rule that is shown, and ends with it. If the server has learnt something else from
// the table meanwhile, or nothing yet since it was sent again, this rule is learnt once more.
export function askAbout(path, body, { onstep, signal } = {}, { asked, learnt } = now()) {
  const options = { onstep, signal: AbortSignal.any([state.stop.signal, ...(signal ? [signal] : [])]) };
  const run = () => askTable(path, { ...body, learnt }, options);
  return mended(run, 409, () => askTable("/api/induce", asked, options));
}

async function mended(run, status, mend) {
  try {
    return await run();
  } catch (error) {
    if (error.status !== status) throw error;
    await mend();
    return run();
  }
}

export async function job(path, body, { onstep, signal }) {
  const request = { method: "POST", headers: { ...JSON_HEADERS, Accept: LINES }, body: JSON.stringify(body), signal };
  return lines(await sent(path, request), onstep);
}

export async function sendFile(file, { onstep, signal }) {
  await checkReadable(file);
  const headers = { "Content-Type": "text/csv", Accept: LINES };
  const path = `/api/tables?name=${encodeURIComponent(file.name.slice(0, 200))}`;
  return lines(await sent(path, { method: "POST", headers, body: file, signal }), onstep);
}

export function forget(table) {
  if (table) fetch(`/api/tables/${table}`, { method: "DELETE", keepalive: true }).catch(() => {});
}

const JSON_HEADERS = { "Content-Type": "application/json" };
const LINES = "application/x-ndjson";

// Of a file that cannot be read the browser says no more than of a server that is gone.
async function checkReadable(file) {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new Refused(0, `${file.name} cannot be read: it was changed, moved or deleted after it was chosen, or is a folder. Choose it again.`);
  }
}

async function sent(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "The server does not answer. Is gnri serve still running?");
  }
}

async function answered(response) {
  const found = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, found.error ?? "The server gave no reason.");
  return found;
}

async function lines(response, onstep) {
  if (!response.headers.get("content-type")?.startsWith(LINES)) return answered(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    rest += value ?? "";
    const whole = rest.split("\n");
    rest = whole.pop();
    for (const line of whole) {
      const message = JSON.parse(line);
      if ("result" in message) return message.result;
      if ("error" in message) throw new Refused(message.status, message.error);
      onstep?.(message.progress, message.note);
    }
    if (done) throw new Refused(0, "The server stopped in the middle of its answer.");
  }
}
