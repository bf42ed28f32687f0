// Requests to the server, and their three kinds of errors.
//
// An error response becomes an `ApiError` with the server's message. If there is no response, the error is
// `Unreachable`; then the page checks the server's health until it responds again, and callers of `whenBack` continue.
// Status 401 asks the reader for a token, which only this page remembers, and sends the request again.

import { byReader } from "./command-line.js";

const FEEDBACK = "v1/feedback";
const MAX_KEPT_ALIVE = 16_000; // characters; browsers limit requests that outlive the page to 64 kB
const HEALTH_CHECK = 2000; // milliseconds between two checks whether the server responds again

export class ApiError extends Error {
  constructor(status, code, message, retryAfter) {
    super(message);
    Object.assign(this, { status, code, retryAfter });
  }
}
export class Unreachable extends Error {
  constructor() {
    super(`The server does not respond.${byReader(" Is textsieve serve still running?", "")} `
      + "This page keeps trying to reach it.");
  }
}

export const connection = new EventTarget(); // has the events "down" and "up"
let isDown = false;
let token = null;
let pendingToken = null;
let askForToken = async () => null;

/** Returns whether a server can have this token: visible ASCII characters, which any header can carry. */
export const isToken = (text) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);

/** Sets the function that asks the reader for a token. Its argument is whether a token was rejected; null: no token. */
export const setTokenDialog = (dialog) => { askForToken = dialog; };

/** Returns a token in place of a rejected one; many requests may be rejected at once, but the reader is asked once. */
const newToken = (rejected) => {
  if (token !== rejected) return Promise.resolve(token);
  pendingToken ??= askForToken(rejected !== null).finally(() => { pendingToken = null; });
  return pendingToken;
};

/** Notes that the server responds. */
const noteServerUp = () => {
  if (!isDown) return;
  isDown = false;
  connection.dispatchEvent(new Event("up"));
};

/** Calls a function once the server responds again, unless the signal is aborted by then. */
export const whenBack = (signal, call) =>
  connection.addEventListener("up", () => { if (!signal.aborted) call(); }, { once: true });

const checkHealth = async () => {
  try {
    const response = await fetch("healthz", { cache: "no-store" });
    if (response.ok) return noteServerUp();
  } catch { /* still down */ }
  setTimeout(checkHealth, HEALTH_CHECK);
};

/** Notes that the server does not respond, and checks its health until it does. */
const noteServerDown = () => {
  if (isDown) return;
  isDown = true;
  connection.dispatchEvent(new Event("down"));
  setTimeout(checkHealth, HEALTH_CHECK);
};

const errorOf = async (response) => {
  const body = await response.json().catch(() => null);
  const message = body?.error?.message ?? `The server returned status ${response.status} without a message.`;
  const seconds = Number(response.headers.get("Retry-After"));
  const retryAfter = Number.isFinite(seconds) && seconds > 0 ? seconds : null;
  return new ApiError(response.status, body?.error?.code ?? "", message, retryAfter);
};

const send = async (path, body, signal) => {
  const headers = new Headers(); // throws here if a header is invalid, outside of the check for a connection
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (token !== null) headers.set("Authorization", `Bearer ${token}`);
  const keepalive = path === FEEDBACK && body.length <= MAX_KEPT_ALIVE; // saved even if the reader leaves the page
  const options = { method: body === undefined ? "GET" : "POST", headers, body, signal, cache: "no-store", keepalive };
  try {
    const response = await fetch(path, options);
    noteServerUp();
    return response;
  } catch (reason) {
    if (signal?.aborted) throw reason;
    noteServerDown();
    throw new Unreachable();
  }
};

const request = async (path, body, signal) => {
  for (;;) {
    const usedToken = token;
    const response = await send(path, body, signal);
    if (response.ok) return response.json();
    const error = await errorOf(response);
    if (response.status !== 401) throw error;
    const nextToken = await newToken(usedToken);
    if (nextToken === null || !isToken(nextToken)) throw error;
    token = nextToken;
  }
};

/** Replaces halves of UTF-16 pairs, which no encoding can write, by U+FFFD, which is one character as well. */
export const wellFormed = (text) => text.toWellFormed?.() ?? text.replace(/\p{Surrogate}/gu, "\ufffd");
const asJson = (data) => JSON.stringify(data, (_, value) => (typeof value === "string" ? wellFormed(value) : value));

export const model = (signal) => request("v1/model", undefined, signal);
export const explain = (text, label, signal) => request("v1/explain", asJson({ text, label }), signal);
export const predict = (texts, signal) => request("v1/predict", asJson({ texts }), signal);
export const correct = (correction) => request(FEEDBACK, asJson(correction));
export const terms = ({ label, q, n, offset }, signal) => {
  const ofClass = label === null ? {} : { label: String(label) };
  const query = new URLSearchParams({ ...ofClass, q, n, offset, words_first: "true" });
  return request(`v1/terms?${query}`, undefined, signal);
};
