// The description of the model: its settings, training data, and quality on held-out documents.

import { byReader, useOfCorrections } from "./command-line.js";
import {
  bar, byId, formatCount, formatNumber, formatPercent, formatTime, labelKey, labelParts, labelText, make,
} from "./dom.js";
import { sortingHeads } from "./sortable.js";

const CLASSIFIERS = {
  svm: "a linear support vector machine",
  logistic: "logistic regression",
  nb: "naive Bayes",
  cnb: "complement naive Bayes",
  rocchio: "the nearest class centroid (Rocchio)",
  tcfp: "votes of the terms (TCFP)",
  knnfp: "votes of the nearest weights of each term (k-NNFP)",
  knn: "nearest neighbours",
  subspace: "an ensemble of linear support vector machines, each on some of the terms",
};
const SELECTORS = {
  forward: "by forward selection",
  weights: "by the weights of linear support vector machines",
  ocfs: "by the distance between class centroids (OCFS)",
  tofa: "by the distance between class centroids and the variance (TOFA)",
  testors: "by typical testors",
  ig: "by information gain",
  chi: "by chi-square",
  mi: "by mutual information",
  df: "by document frequency",
};
const TESTED = "Precision: the share of documents predicted as this class that really belong to it. Recall: the share "
  + "of documents of this class that were predicted as such. F1: the harmonic mean of both.";
const SIZE = "Held out: how many documents of this class were in the test.";
const DIFFERENCE = " The first test held out one part of the documents; this one holds out one part after another.";
const UNTESTED = "The quality of this model was not measured.";
const MEASURE = "Train with --held-out to measure it.";

const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const describe = (name, table) => (name in table ? `${table[name]} (“${name}”)` : asText(name));
const formatSize = (bytes) =>
  (bytes >= 1e6 ? `${formatNumber(bytes / 1e6, 1)} MB` : `${formatNumber(bytes / 1e3, 1)} kB`);
const classesOf = (number) => formatCount(number, "class", "classes");

/** Returns a sentence on what a model does. */
export const summaryOf = ({ name, classes, multilabel }) =>
  `${name} classifies texts into ${classesOf(classes.length)}${multilabel ? " (multilabel)" : ""}.`;

const outputOf = ({ multilabel, probabilities }) =>
  `${multilabel ? "any number of classes" : "one class"} for each text`
  + (probabilities ? ", with probabilities" : "");

const kindsOf = ({ analysis, settings }) => {
  if (["char", "char_wb"].includes(analysis?.analyzer)) return ", n-grams of characters";
  if (analysis?.char_ngram_range) return ", words and n-grams of characters";
  return settings?.ngram_range?.[1] > 1 ? ", words and n-grams" : "";
};

const termsOf = ({ terms, analysis, settings, selector }) =>
  formatCount(terms, "term")
  + kindsOf({ analysis, settings })
  + (selector ? `, selected ${describe(selector, SELECTORS)}` : "");

const updatesOf = ({ documents, times, last }) =>
  `${formatTime(last)}, with ${formatCount(documents, "document")} in ${formatCount(times, "update")}`;

const fact = (title, text) => [make("dt", {}, title), make("dd", {}, text)];

const factsOf = (model) => {
  const documents = model.documents ?? model.classes.reduce((sum, cls) => sum + cls.documents, 0);
  return make("dl", { class: "facts" },
    fact("Name", `${model.name}, ${formatSize(model.bytes)}`),
    fact("Predicts", outputOf(model)),
    fact("Trained on", `${formatCount(documents, "document")} in ${classesOf(model.classes.length)}`),
    fact("Terms", termsOf(model)),
    fact("Classifier", describe(model.classifier, CLASSIFIERS)),
    fact("Trained", formatTime(model.trained)),
    model.updated ? fact("Updated", updatesOf(model.updated)) : null,
    fact("Loaded", formatTime(model.loaded)),
    model.feedback ? fact("Corrections", useOfCorrections(model)) : null);
};

const settingsOf = (settings) => {
  const facts = Object.entries(settings ?? {}).map(([name, value]) => fact(name, JSON.stringify(value)));
  return make("details", {}, make("summary", {}, "All settings"), make("dl", { class: "facts small" }, facts));
};

const testOf = ({ held_out: { documents, share, untested_classes: untested }, updated }) =>
  `Tested on ${formatCount(documents, "document")} (${formatPercent(share, 0)})`
  + (updated ? ", before the model was updated. " : ". ")
  + "A model that was trained in the same way on all other documents classified them. Afterwards, this model was "
  + "trained on all documents. "
  + (untested ? `${formatCount(untested, "class has", "classes have")} no held-out document.` : "");

const scoresOf = ({ held_out: { accuracy, micro_f1: micro, macro_f1: macro }, multilabel }) => {
  const line = (title, value, text) => make("li", {},
    make("span", { class: "big" }, value), make("b", {}, title), make("span", { class: "note" }, text));
  const about = `of the documents got ${multilabel ? "exactly the right classes" : "the right class"}`;
  return make("ul", { class: "scores" },
    accuracy === undefined ? null : line("Accuracy", formatPercent(accuracy), about),
    multilabel ? line("Micro-F1", formatNumber(micro, 3), "1 is perfect; large classes count more")
      : null, // with one class per document, micro-F1 is the accuracy
    line("Macro-F1", formatNumber(macro, 3), "1 is perfect; all classes count the same"));
};

// -- the table of classes -----------------------------------------------------------------------------------------

/**
 * Returns a table that can be sorted by its columns. A column is `{title, kind, value(row), cell(row)}`: `value` is for
 * sorting, `cell` is shown, and `kind` is "text" or "number".
 */
const sortableTable = (caption, columns, rows) => {
  const body = make("tbody");
  const line = (row) => make("tr", {}, columns.map((column, index) =>
    make(index ? "td" : "th", { class: column.kind, ...(index ? {} : { scope: "row" }) }, column.cell(row))));
  const fill = (sorted) => body.replaceChildren(...sorted.map(line));
  const heads = sortingHeads(columns, (compareRows) => fill([...rows].sort(compareRows)));
  fill(rows);
  return make("div", { class: "scroll" },
    make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, heads)), body));
};

const shareColumn = (title, name) => ({
  title, kind: "number",
  value: ({ measures }) => measures?.[name] ?? null,
  cell: ({ measures }) => (measures ? [bar(measures[name]), " ", formatNumber(measures[name], 3)] : "–"),
});
const countColumn = (title, count) => (
  { title, kind: "number", value: count, cell: (row) => formatNumber(count(row)) });
const NAME = {
  title: "Class", kind: "text",
  value: ({ label }) => labelText(label),
  cell: ({ label }) => labelParts(label),
};

/** Returns the measures of each class, except for classes without a held-out document or a prediction. */
const measuresOf = (heldOut) => {
  const rows = (heldOut?.classes ?? []).filter(({ documents, predicted }) => documents + (predicted ?? 0) > 0);
  return new Map(rows.map((row) => [labelKey(row.label), row]));
};

const classTable = ({ classes, held_out: heldOut }) => {
  const measuresByClass = measuresOf(heldOut);
  const rows = classes.map((cls) => ({ ...cls, measures: measuresByClass.get(labelKey(cls.label)) ?? null }));
  const measureColumns = [
    shareColumn("Precision", "precision"), shareColumn("Recall", "recall"), shareColumn("F1", "f1"),
    countColumn("Held out", (row) => row.measures?.documents ?? null),
  ];
  const columns = [NAME, countColumn("Documents", ({ documents }) => documents), ...(heldOut ? measureColumns : [])];
  return sortableTable("Click a column title to sort.", columns, rows);
};

/** Returns the cross-validation: how many labels have some probability, and how many of these are right. */
const confidencePart = ({ documents, rows }, isTested) => {
  const head = (title) => make("th", { class: "number", scope: "col" }, title);
  const heads = ["Probability", "Documents", "Right labels"].map(head);
  const line = ({ min_probability: minimum, share, accuracy }) => make("tr", {},
    make("td", { class: "number" }, `at least ${formatPercent(minimum, 0)}`),
    make("td", { class: "number" }, formatPercent(share)),
    make("td", { class: "number" }, share ? formatPercent(accuracy) : "–"));
  const test = isTested ? "A second test, by cross-validation" : "Tested by cross-validation";
  const about = `${test}: ${formatCount(documents, "document was", "documents were")} classified, each by a model that `
    + `was trained without it.${isTested ? DIFFERENCE : ""}`;
  const table = make("table", { class: "confidence" },
    make("caption", {}, "How sure the model is of its labels, and how many of these are right"),
    make("thead", {}, make("tr", {}, heads)), make("tbody", {}, rows.map(line)));
  return [make("p", {}, about), make("div", { class: "scroll" }, table)];
};

export const showModel = (model) => {
  const card = (title, ...content) => make("div", { class: "card" }, make("h3", {}, title), content);
  const isTested = Boolean(model.held_out);
  byId("model-card").replaceChildren(
    card("Overview", factsOf(model), settingsOf(model.settings)),
    card("Quality", make("p", {}, isTested ? testOf(model) : UNTESTED + byReader(` ${MEASURE}`, "")),
      isTested ? scoresOf(model) : null,
      model.confidence ? confidencePart(model.confidence, isTested) : null),
    card("Classes", isTested ? make("p", { class: "note" }, `${TESTED} ${SIZE}`) : null, classTable(model)));
};
