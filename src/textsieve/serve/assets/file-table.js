// What was found for the documents of a file, as it is shown: how many each class has, and the first rows.

import { bar, counted, isNumber, labelParts, make, percent, written } from "./dom.js";
import { countsOf, figureOf, labelsOf } from "./predictions.js";

const ROWS = 200; // that are shown
const CLIP = 160; // characters of a text in them

const clipped = (text) => (text.length > CLIP ? `${text.slice(0, CLIP)} …` : text);

const figure = (score, probability) => {
  if (!isNumber(probability)) return written(score, 3);
  return [percent(probability), make("span", { class: "note block" }, `score ${written(score, 3)}`)];
};

/** One class and its score in two cells; several in one, a line each. */
const answerOf = (prediction) => {
  const { label, score, probability, scores, probabilities, unknown } = prediction;
  const note = unknown ? make("span", { class: "note block" }, "no term of it is known") : null;
  if (prediction.labels === undefined) {
    const cell = make("td", { class: "text" }, labelParts(label), note);
    return [cell, make("td", { class: "number" }, figure(score, probability))];
  }
  const line = (each) => make("span", { class: "pair" },
    make("span", {}, labelParts(each)),
    make("span", {}, figure(figureOf(scores, each), figureOf(probabilities, each))));
  const lines = labelsOf(prediction).map(line);
  return [make("td", { class: "text", colspan: "2" }, lines.length ? lines : "no class", note)];
};

const lineOf = (text, place, { prediction, fault, isCancelled }) => {
  const kind = isCancelled ? "note" : "failed";
  const failed = () => [make("td", { class: `text ${kind}`, colspan: "2" }, fault ?? "waiting")];
  const answer = prediction ? answerOf(prediction) : failed();
  return make("tr", {},
    make("td", { class: "number" }, written(place + 1)),
    make("td", { class: "text clip" }, make("span", { class: "clamp" }, clipped(text ?? ""))),
    answer);
};

/** The first documents of a table, of which one column has the texts, and what was found for them. */
export const previewOf = ({ rows }, column, found) => {
  const all = counted(rows.length, "document");
  const words = rows.length > ROWS ? `The first ${written(ROWS)} of ${all}; the download has all.` : all;
  const heads = [["", "number"], ["Text", "text"], ["Class", "text"], ["Score", "number"]];
  const head = make("tr", {}, heads.map(([title, kind]) => make(title ? "th" : "td", { class: kind }, title)));
  const lines = rows.slice(0, ROWS).map((row, place) => lineOf(row[column], place, found[place]));
  const about = { class: "scroll", tabindex: "0", role: "region", "aria-label": "Documents and their classes" };
  return make("div", about, make("table", { class: "preview" },
    make("caption", {}, words), make("thead", {}, head), make("tbody", {}, lines)));
};

const isBlank = (text) => (text ?? "").trim() === "";

/** What is to be known of documents beside their classes; what the reader cancelled is no fault. */
const notesOf = (texts, found) => {
  const failed = found.filter(({ fault, isCancelled }) => fault && !isCancelled).length;
  const guessed = texts.filter((_, place) => found[place].prediction?.unknown);
  const empty = guessed.filter(isBlank).length, unknown = guessed.length - empty;
  const note = (words) => make("p", { class: "note" }, words);
  const has = counted(unknown, "document has", "documents have"), is = counted(empty, "document is", "documents are");
  const wrong = `${counted(failed, "document was", "documents were")} not classified; the column “error” says why.`;
  return [
    unknown ? note(`${has} no term that the model knows; the class of such a document is only a guess.`) : null,
    empty ? note(`${is} empty, and counted all the same.`) : null,
    failed ? make("p", { class: "fault" }, wrong) : null,
  ];
};

/** How many documents each class has; how many failed, are empty, or have nothing that the model knows. */
export const countTable = (texts, found) => {
  const counts = countsOf(found), most = counts[0]?.[1] ?? 1;
  const lines = counts.map(([name, count]) => make("tr", {},
    make("th", { scope: "row", class: "text" }, name),
    make("td", { class: "number" }, written(count)),
    make("td", { class: "bars" }, bar(count / most))));
  return make("div", {},
    make("table", { class: "counts" },
      make("caption", { class: "hidden" }, "Documents in each class"), make("tbody", {}, lines)),
    notesOf(texts, found));
};
