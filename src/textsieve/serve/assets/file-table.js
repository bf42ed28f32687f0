// The results for the documents of a file: the number of documents per class, and the documents as a table that can be
// sorted and filtered.

import {
  bar, byId, formatCount, formatNumber, formatPercent, isBlank, isNumber, labelParts, make, show,
} from "./dom.js";
import { classNamesOf, confidenceOf, countsOf, figureOf, isUnsure, labelsOf } from "./predictions.js";
import { sortingHeads } from "./sortable.js";

const ROWS = 200; // number of rows that are shown
const CLIP = 160; // characters of a text that are shown
const BANDS = [[0, 0.5], [0.5, 0.8], [0.8, 0.95], [0.95, Infinity]]; // of probabilities

const hasNoText = (text) => isBlank(text ?? "");
const clip = (text) => (text.length > CLIP ? `${text.slice(0, CLIP)} …` : text);
/** Returns the beginning of a text, or that there is none. */
const shownText = (text) => (hasNoText(text) ? make("span", { class: "muted" }, "(empty)")
  : make("span", { class: "clamp" }, clip(text)));
const figure = (score, probability) => (isNumber(probability) ? formatPercent(probability) : formatNumber(score, 3));

/** Returns a cell with the class and one with its probability or score, or a cell with a line for each of several. */
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

/** Returns the row of a document; a click on it, or Enter on its button, calls `onOpen`. */
const rowOf = ({ index, text, result: { prediction, fault, isCancelled } }, onOpen) => {
  const kind = isCancelled || hasNoText(text) ? "note" : "failed";
  const faultCell = () => make("td", { class: `text ${kind}`, colspan: "2" }, fault ?? "waiting");
  const number = make("td", { class: "number" }, formatNumber(index + 1));
  if (!prediction) return make("tr", {}, number, make("td", { class: "text clip" }, shownText(text)), faultCell());
  const button = make("button", { type: "button", class: "row-button", "aria-haspopup": "dialog" }, shownText(text));
  const open = ({ target }) => { // a reader who selects text in a row wants to copy it
    if (target.closest("button") || getSelection().isCollapsed) onOpen();
  };
  return make("tr", { class: "opens", "data-index": String(index), on: { click: open } },
    number, make("td", { class: "text clip" }, button), predictionCells(prediction));
};

const optionsOf = (all, counts) => [
  make("option", { value: "" }, all),
  ...counts.map(([name, count], place) => make("option", { value: String(place) }, `${name} (${formatNumber(count)})`)),
];

/** Sets up the table; `onOpen(documents, place)` is called when the reader opens one of the shown documents. */
export const useFileTable = (onOpen) => {
  const classSelect = byId("file-class"), bandSelect = byId("file-band");
  let documents = [], names = [], bands = [], compareRows = null, caption = null, body = null;

  const bandName = ([low, high]) => {
    if (low === 0) return `below ${formatPercent(high, 0)}`;
    return high > 1 ? `${formatPercent(low, 0)} and above` : `${formatPercent(low, 0)} to ${formatPercent(high, 0)}`;
  };
  const isInBand = ({ result }, [low, high]) => {
    const confidence = confidenceOf(result);
    return confidence !== null && low <= confidence && confidence < high;
  };
  const draw = () => {
    const name = names[classSelect.value]?.[0], band = bands[bandSelect.value];
    const isWanted = (row) =>
      (name === undefined || classNamesOf(row.result).includes(name)) && (band === undefined || isInBand(row, band));
    const wanted = documents.filter(isWanted);
    if (compareRows) wanted.sort(compareRows);
    const shown = wanted.slice(0, ROWS), opened = shown.filter(({ result }) => result.prediction);
    const all = formatCount(documents.length, "document");
    const number = wanted.length < documents.length ? `${formatNumber(wanted.length)} of ${all}` : all;
    const first = `The first ${formatNumber(ROWS)} of ${number}; the download has all.`;
    const hint = opened.length ? " Open one to see why." : "";
    caption.textContent = (wanted.length > ROWS ? first : `${number}.`) + hint;
    body.replaceChildren(...shown.map((row) => rowOf(row, () => onOpen(opened, opened.indexOf(row)))));
  };
  for (const select of [classSelect, bandSelect]) select.addEventListener("input", draw);

  /** Shows the results for texts. */
  return (texts, results, model) => {
    documents = texts.map((text, index) => ({ index, text, result: results[index] }));
    names = countsOf(results);
    bands = model.probabilities ? BANDS : [];
    compareRows = null;
    classSelect.replaceChildren(...optionsOf("All classes", names));
    const bandCounts = bands.map((band) => [bandName(band), documents.filter((row) => isInBand(row, band)).length]);
    bandSelect.replaceChildren(...optionsOf("Any", bandCounts));
    show(byId("file-band-label"), bands.length > 0);
    const figures = model.probabilities
      ? { title: "Probability", kind: "number", value: ({ result }) => confidenceOf(result) }
      : { title: "Score", kind: "number" }; // scores of different texts can't be compared
    const heads = sortingHeads([
      { title: "No.", kind: "number", value: ({ index }) => index, order: "ascending" },
      { title: "Text", kind: "text" },
      { title: "Class", kind: "text", value: ({ result }) => (result.prediction ? classNamesOf(result)[0] : null) },
      figures,
    ], (newOrder) => {
      compareRows = newOrder;
      draw();
    });
    caption = make("caption");
    body = make("tbody");
    draw();
    const attributes = { class: "scroll", tabindex: "0", role: "region", "aria-label": "Documents and their classes" };
    byId("file-preview").replaceChildren(make("div", attributes,
      make("table", { class: "preview" }, caption, make("thead", {}, make("tr", {}, heads)), body)));
  };
};

/** Returns notes on unknown, empty and failed documents; documents that the reader cancelled did not fail. */
const notesOf = (texts, results) => {
  const faulty = texts.filter((_, index) => results[index].fault && !results[index].isCancelled);
  const nEmpty = faulty.filter((text) => text !== null && hasNoText(text)).length, nFailed = faulty.length - nEmpty;
  const nUnknown = results.filter(({ prediction }) => prediction?.unknown).length;
  const unknownHave = formatCount(nUnknown, "document has", "documents have");
  const emptyAre = formatCount(nEmpty, "document is", "documents are");
  const failedWere = formatCount(nFailed, "document was", "documents were");
  const note = (text, kind = "note") => make("p", { class: kind }, text);
  return [
    nUnknown ? note(`${unknownHave} no term that the model knows; the predicted class is only a guess.`) : null,
    nEmpty ? note(`${emptyAre} empty and ${nEmpty === 1 ? "has" : "have"} no class.`) : null,
    nFailed ? note(`${failedWere} not classified; the column “error” says why.`, "fault") : null,
  ];
};

/** Returns a table with the number of documents per class, and notes on unknown, empty and failed documents. */
export const countTable = (texts, results) => {
  const counts = countsOf(results.filter(({ prediction }) => prediction)), largestCount = counts[0]?.[1] ?? 1;
  const lines = counts.map(([name, count]) => make("tr", {},
    make("th", { scope: "row", class: "text" }, name),
    make("td", { class: "number" }, formatNumber(count)),
    make("td", { class: "bars" }, bar(count / largestCount))));
  return make("div", {},
    make("table", { class: "counts" },
      make("caption", { class: "hidden" }, "Documents per class"), make("tbody", {}, lines)),
    notesOf(texts, results));
};
