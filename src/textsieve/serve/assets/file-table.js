// The results for the documents of a file: the number of documents per class, and the first rows.

import { bar, formatCount, formatNumber, formatPercent, isNumber, labelParts, make } from "./dom.js";
import { countsOf, figureOf, isUnsure, labelsOf } from "./predictions.js";

const ROWS = 200; // number of rows that are shown
const CLIP = 160; // characters of a text that are shown

const clip = (text) => (text.length > CLIP ? `${text.slice(0, CLIP)} …` : text);

const figure = (score, probability) => {
  if (!isNumber(probability)) return formatNumber(score, 3);
  return [formatPercent(probability), make("span", { class: "note block" }, `score ${formatNumber(score, 3)}`)];
};

/** Returns two cells with a class and its score, or one cell with a line for each class of a multilabel model. */
const predictionCells = (prediction) => {
  const { label, score, probability, scores, probabilities, unknown } = prediction;
  const note = unknown ? make("span", { class: "note block" }, "no known term") : null;
  if (prediction.labels === undefined) {
    const guess = (best) => make("span", { class: "note block" }, "best guess: ", labelParts(best));
    const names = isUnsure(prediction) ? ["not sure", guess(prediction.best_guess)] : labelParts(label);
    const cell = make("td", { class: "text" }, names, note);
    return [cell, make("td", { class: "number" }, figure(score, probability))];
  }
  const line = (name) => make("span", { class: "pair" },
    make("span", {}, labelParts(name)),
    make("span", {}, figure(figureOf(scores, name), figureOf(probabilities, name))));
  const lines = labelsOf(prediction).map(line);
  return [make("td", { class: "text", colspan: "2" }, lines.length ? lines : "no class", note)];
};

const rowOf = (text, index, { prediction, fault, isCancelled }) => {
  const kind = isCancelled ? "note" : "failed";
  const faultCell = () => make("td", { class: `text ${kind}`, colspan: "2" }, fault ?? "waiting");
  const cells = prediction ? predictionCells(prediction) : [faultCell()];
  return make("tr", {},
    make("td", { class: "number" }, formatNumber(index + 1)),
    make("td", { class: "text clip" }, make("span", { class: "clamp" }, clip(text ?? ""))),
    cells);
};

/** Returns a table with the first documents and their results. */
export const previewOf = (texts, results) => {
  const all = formatCount(texts.length, "document");
  const caption = texts.length > ROWS ? `The first ${formatNumber(ROWS)} of ${all}; the download has all.` : all;
  const heads = [["", "number"], ["Text", "text"], ["Class", "text"], ["Score", "number"]];
  const head = make("tr", {}, heads.map(([title, kind]) => make(title ? "th" : "td", { class: kind }, title)));
  const lines = texts.slice(0, ROWS).map((text, index) => rowOf(text, index, results[index]));
  const attributes = { class: "scroll", tabindex: "0", role: "region", "aria-label": "Documents and their classes" };
  return make("div", attributes, make("table", { class: "preview" },
    make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, lines)));
};

const isBlank = (text) => (text ?? "").trim() === "";

/** Returns notes on unknown, empty and failed documents; documents that the reader cancelled did not fail. */
const notesOf = (texts, results) => {
  const nFailed = results.filter(({ fault, isCancelled }) => fault && !isCancelled).length;
  const textsWithoutTerms = texts.filter((_, index) => results[index].prediction?.unknown);
  const nEmpty = textsWithoutTerms.filter(isBlank).length, nUnknown = textsWithoutTerms.length - nEmpty;
  const unknownHave = formatCount(nUnknown, "document has", "documents have");
  const emptyAre = formatCount(nEmpty, "document is", "documents are");
  const failedWere = formatCount(nFailed, "document was", "documents were");
  const note = (text, kind = "note") => make("p", { class: kind }, text);
  return [
    nUnknown ? note(`${unknownHave} no term that the model knows; the predicted class is only a guess.`) : null,
    nEmpty ? note(`${emptyAre} empty, but included in the counts.`) : null,
    nFailed ? note(`${failedWere} not classified; the column “error” says why.`, "fault") : null,
  ];
};

/** Returns a table with the number of documents per class, and notes on unknown, empty and failed documents. */
export const countTable = (texts, results) => {
  const counts = countsOf(results), largestCount = counts[0]?.[1] ?? 1;
  const lines = counts.map(([name, count]) => make("tr", {},
    make("th", { scope: "row", class: "text" }, name),
    make("td", { class: "number" }, formatNumber(count)),
    make("td", { class: "bars" }, bar(count / largestCount))));
  return make("div", {},
    make("table", { class: "counts" },
      make("caption", { class: "hidden" }, "Documents per class"), make("tbody", {}, lines)),
    notesOf(texts, results));
};
