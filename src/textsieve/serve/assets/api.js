// Talking to the server: one way for all requests, and three kinds of trouble.
//
// An answer that says no is a `Refusal` with the server's own sentence. No answer is `Unreachable`; then the server is
// asked for its health until it answers again, and those who wait for `up` go on. An answer of 401 asks for a token,
// which is remembered by this page alone, and the request is made again.

const EVERY = 2000; // milliseconds between two looks whether the server is back

export class Refusal extends Error {
  constructor(status, code, message, after) {
    super(message);
    Object.assign(this, { status, code, after });
  }
}
export class Unreachable extends Error {
  constructor() {
    super("The server does not answer. Is textsieve serve still running? This page tries again every few seconds.");
  }
}

export const connection = new EventTarget(); // tells "down" and "up"
let isDown = false;
let token = null;
let asking = null;
let ask = async () => null;

/** Whether a server can have such a token: visible ASCII characters, which any header can carry. */
export const isToken = (text) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);

/** Who asks for the token: a function of whether one was refused, to a token, or null if the reader gave none. */
export const askWith = (asker) => { ask = asker; };

/** Many requests may be refused at once; the reader is asked once. */
const anotherToken = (tried) => {
  if (token !== tried) return Promise.resolve(token);
  asking ??= ask(tried !== null).finally(() => { asking = null; });
  return asking;
};

const isBack = () => {
  if (!isDown) return;
  isDown = false;
  connection.dispatchEvent(new Event("up"));
};

/** Does something once the server answers again, unless it is no longer wanted. */
export const whenBack = (signal, again) =>
  connection.addEventListener("up", () => { if (!signal.aborted) again(); }, { once: true });

const lookAgain = async () => {
  try {
    const answer = await fetch("healthz", { cache: "no-store" });
    if (answer.ok) return isBack();
  } catch { /* not yet */ }
  setTimeout(lookAgain, EVERY);
};

const isGone = () => {
  if (isDown) return;
  isDown = true;
  connection.dispatchEvent(new Event("down"));
  setTimeout(lookAgain, EVERY);
};

const refusalOf = async (answer) => {
  const found = await answer.json().catch(() => null);
  const message = found?.error?.message ?? `The server answered ${answer.status} and gave no reason.`;
  const after = Number(answer.headers.get("Retry-After"));
  const isSaid = Number.isFinite(after) && after > 0;
  return new Refusal(answer.status, found?.error?.code ?? "", message, isSaid ? after : null);
};

const sent = async (path, body, signal) => {
  const headers = new Headers(); // what no header can have throws here, and is no silence of the server
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (token !== null) headers.set("Authorization", `Bearer ${token}`);
  const about = { method: body === undefined ? "GET" : "POST", headers, body, signal, cache: "no-store" };
  try {
    const answer = await fetch(path, about);
    isBack();
    return answer;
  } catch (reason) {
    if (signal?.aborted) throw reason;
    isGone();
    throw new Unreachable();
  }
};

const requested = async (path, body, signal) => {
  for (;;) {
    const tried = token;
    const answer = await sent(path, body, signal);
    if (answer.ok) return answer.json();
    const refusal = await refusalOf(answer);
    if (answer.status !== 401) throw refusal;
    const given = await anotherToken(tried);
    if (given === null || !isToken(given)) throw refusal;
    token = given;
  }
};

/** Halves of UTF-16 pairs, which no encoding can write, become U+FFFD, which is one character too. */
const asJson = (value) => JSON.stringify(value, (_, each) => (typeof each === "string" ? wellFormed(each) : each));
export const wellFormed = (text) => text.toWellFormed?.() ?? text.replace(/\p{Surrogate}/gu, "\ufffd");

export const model = (signal) => requested("v1/model", undefined, signal);
export const explain = (text, label, signal) => requested("v1/explain", asJson({ text, label }), signal);
export const predict = (texts, signal) => requested("v1/predict", asJson({ texts }), signal);
export const correct = (correction) => requested("v1/feedback", asJson(correction));
export const terms = ({ label, q, n, offset }, signal) => {
  const query = new URLSearchParams({ ...(label === null ? {} : { label: String(label) }), q, n, offset });
  return requested(`v1/terms?${query}`, undefined, signal);
};
