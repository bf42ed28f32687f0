// Predict many documents, in requests that the server accepts.
//
// A request has at most as many documents and bytes as the server allows, and few enough to show progress. Documents
// that are empty or too long are not sent. If the server rejects a batch, the batch is halved until the invalid
// document is alone. If the server is busy, the batch is sent again after the time that the server asks for. If it does
// not respond, the page waits for it.

import { ApiError, Unreachable } from "./api.js";
import { formatNumber, isBlank, lengthOf } from "./dom.js";

const MAX_DOCUMENTS = 200; // per request, so that the progress bar moves
const MAX_BYTES = 256 * 1024;
const ENVELOPE = 64; // bytes of a request without its documents
const ATTEMPTS = 5; // to send a batch to a busy server, before it is halved
const PERMANENT = [401, 403, 404, 405, 415]; // statuses that do not depend on the documents
const PAUSE = 1; // seconds to wait, if the server does not say how long

const encoder = new TextEncoder();
const bytesOf = (text) => encoder.encode(JSON.stringify(text)).length + 1;

/** Returns why a document can't be sent, or null. */
export const faultOf = (text, limits) => {
  if (typeof text !== "string") return "there is no text";
  if (isBlank(text)) return "the text is empty";
  const length = lengthOf(text);
  const tooLong = (size, unit, limit) => `too long: ${formatNumber(size)} ${unit}, at most ${formatNumber(limit)}`;
  if (length > limits.length) return tooLong(length, "characters", limits.length);
  const bytes = bytesOf(text), maxBytes = limits.body - ENVELOPE;
  return bytes > maxBytes ? tooLong(bytes, "bytes", maxBytes) : null;
};

/** Yields the indices of the documents of each request. */
export function* batchesOf(texts, indices, limits) {
  const maxDocuments = Math.min(MAX_DOCUMENTS, limits.documents);
  const maxBytes = Math.min(MAX_BYTES, limits.body - ENVELOPE);
  let batch = [], batchBytes = 0;
  for (const index of indices) {
    const bytes = bytesOf(texts[index]);
    if (batch.length && (batch.length === maxDocuments || batchBytes + bytes > maxBytes)) {
      yield batch;
      batch = [];
      batchBytes = 0;
    }
    batch.push(index);
    batchBytes += bytes;
  }
  if (batch.length) yield batch;
}

const pause = (seconds, signal) => new Promise((resolve, reject) => {
  const stop = () => { clearTimeout(timer); reject(signal.reason); };
  const timer = setTimeout(() => { signal.removeEventListener("abort", stop); resolve(); }, 1000 * seconds);
  signal.addEventListener("abort", stop, { once: true });
});

/**
 * Predicts all documents. Calls `onResult(index, prediction, fault)` for each, and `onWait(message)` while it waits for
 * the server (with null when it continues). `predict(texts, signal)` sends a request; aborting the signal throws.
 */
export const predictAll = async ({ texts, faults, limits, predict, onResult, onWait, signal }) => {
  const valid = [];
  texts.forEach((text, index) => {
    const fault = faults.get(index) ?? faultOf(text, limits);
    if (fault === null) valid.push(index);
    else onResult(index, null, fault);
  });

  const sendBatch = async (batch) => {
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      try {
        const { predictions } = await predict(batch.map((index) => texts[index]), signal);
        onWait(null);
        return batch.forEach((index, position) => onResult(index, predictions[position], null));
      } catch (reason) {
        signal.throwIfAborted();
        if (reason instanceof Unreachable) {
          onWait(reason.message);
          await pause(PAUSE, signal);
          attempt = 0;
        } else if (reason instanceof ApiError && reason.status === 503 && attempt < ATTEMPTS) {
          onWait("The server is busy; waiting …");
          await pause(reason.retryAfter ?? PAUSE, signal);
        } else if (!(reason instanceof ApiError) || PERMANENT.includes(reason.status)) {
          throw reason;
        } else if (batch.length > 1) {
          const middle = Math.ceil(batch.length / 2);
          await sendBatch(batch.slice(0, middle));
          return sendBatch(batch.slice(middle));
        } else {
          return onResult(batch[0], null, reason.message);
        }
      }
    }
  };
  for (const batch of batchesOf(texts, valid, limits)) await sendBatch(batch);
};
