// Many documents, in requests that the server takes.
//
// A request has at most as many documents and bytes as the server says, and few enough that progress is seen. What is
// too long is not sent. A refused batch is halved until the document at fault is alone; a busy server is asked again
// when it said so; one that does not answer is waited for.

import { Refusal, Unreachable } from "./api.js";
import { lengthOf, written } from "./dom.js";

const DOCUMENTS = 200; // of one request, for the sake of the progress bar
const BYTES = 256 * 1024;
const ENVELOPE = 64; // bytes of a request beside its documents
const TRIES = 5; // of a batch that a busy server does not take, before it is halved
const HOPELESS = [401, 403, 404, 405, 415]; // whatever the documents are
const WAIT = 1; // seconds, if the server does not say how long

const encoder = new TextEncoder();
const bytesOf = (text) => encoder.encode(JSON.stringify(text)).length + 1;

/** What is wrong with a document before it is sent, or null. */
export const faultOf = (text, limits) => {
  if (typeof text !== "string") return "there is no text";
  const length = lengthOf(text);
  if (length > limits.length) return `too long: ${written(length)} characters, at most ${written(limits.length)}`;
  const bytes = bytesOf(text), most = limits.body - ENVELOPE;
  return bytes > most ? `too long: ${written(bytes)} bytes, at most ${written(most)}` : null;
};

/** Places of the documents of one request after the other. */
export function* batchesOf(texts, places, limits) {
  const most = Math.min(DOCUMENTS, limits.documents), room = Math.min(BYTES, limits.body - ENVELOPE);
  let batch = [], bytes = 0;
  for (const place of places) {
    const own = bytesOf(texts[place]);
    if (batch.length && (batch.length === most || bytes + own > room)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(place);
    bytes += own;
  }
  if (batch.length) yield batch;
}

const pause = (seconds, signal) => new Promise((resolve, reject) => {
  const stop = () => { clearTimeout(timer); reject(signal.reason); };
  const timer = setTimeout(() => { signal.removeEventListener("abort", stop); resolve(); }, 1000 * seconds);
  signal.addEventListener("abort", stop, { once: true });
});

/**
 * Predicts all documents: `tell(place, prediction, fault)` for each, `wait(sentence)` while the server makes it wait
 * (null when it goes on). `predict(texts, signal)` asks the server; an abort of the signal ends it with an error.
 */
export const predictAll = async ({ texts, faults, limits, predict, tell, wait, signal }) => {
  const sound = [];
  texts.forEach((text, place) => {
    const fault = faults.get(place) ?? faultOf(text, limits);
    if (fault === null) sound.push(place);
    else tell(place, null, fault);
  });

  const asked = async (batch) => {
    for (let tries = 1; ; tries += 1) {
      signal.throwIfAborted();
      try {
        const { predictions } = await predict(batch.map((place) => texts[place]), signal);
        wait(null);
        return batch.forEach((place, at) => tell(place, predictions[at], null));
      } catch (reason) {
        signal.throwIfAborted();
        if (reason instanceof Unreachable) {
          wait(reason.message);
          await pause(WAIT, signal);
          tries = 0;
        } else if (reason instanceof Refusal && reason.status === 503 && tries < TRIES) {
          wait("The server is busy; waiting for it.");
          await pause(reason.after ?? WAIT, signal);
        } else if (!(reason instanceof Refusal) || HOPELESS.includes(reason.status)) {
          throw reason;
        } else if (batch.length > 1) {
          const middle = Math.ceil(batch.length / 2);
          await asked(batch.slice(0, middle));
          return asked(batch.slice(middle));
        } else {
          return tell(batch[0], null, reason.message);
        }
      }
    }
  };
  for (const batch of batchesOf(texts, sound, limits)) await asked(batch);
};
