// The model's card: what it is, from what it learned, and how good it was on documents that it had not seen.

import { bar, byId, counted, day, labelParts, labelText, make, percent, written } from "./dom.js";
import { sortableTable } from "./tables.js";

const CLASSIFIERS = {
  svm: "a linear support vector machine",
  logistic: "logistic regression",
  nb: "naive Bayes",
  cnb: "complement naive Bayes",
  rocchio: "the nearest class prototype (Rocchio)",
  tcfp: "votes of the terms (TCFP)",
  knnfp: "votes of the nearest weights of each term (k-NNFP)",
  knn: "the most similar training documents (nearest neighbours)",
  subspace: "many linear support vector machines, each on some of the terms",
};
const SELECTORS = {
  forward: "one by one, by what each adds to those before it",
  ocfs: "by how far they draw the classes apart (OCFS)",
  tofa: "by how far they draw the classes apart, weighed against their variance (TOFA)",
  testors: "as the smallest sets that tell the classes apart (typical testors)",
  ig: "by information gain",
  chi: "by chi-square",
  mi: "by mutual information",
  df: "by how many documents have them",
};
const named = (name, table) => (name in table ? `${table[name]} (“${name}”)` : typeof name === "string" ? name : JSON.stringify(name));
const size = (bytes) => (bytes >= 1e6 ? `${written(bytes / 1e6, 1)} MB` : `${written(bytes / 1e3, 1)} kB`);

/** What a model does, in one sentence. */
export const summaryOf = ({ name, classes, labels }) =>
  `${name} sorts texts into ${counted(classes.length, "class", "classes")}${labels === "one" ? "" : "; a text may have several"}.`;

const fact = (title, ...words) => [make("dt", {}, title), make("dd", {}, words)];

const factsOf = (model) => {
  const { documents, terms, updated, settings } = model;
  const seen = documents ?? model.classes.reduce((sum, each) => sum + each.documents, 0);
  return make("dl", { class: "facts" },
    fact("Name", `${model.name}, ${size(model.bytes)}`),
    fact("Answers with", model.labels === "one" ? "one class for each text" : "any number of classes for each text", model.probabilities ? ", and how probable they are" : ""),
    fact("Learned from", `${counted(seen, "document")} in ${counted(model.classes.length, "class", "classes")}`),
    fact("Looks at", `${counted(terms, "term")}${settings?.ngram_range?.[1] > 1 ? ", words and runs of words" : ""}${model.selector ? `, chosen ${named(model.selector, SELECTORS)}` : ""}`),
    fact("Decides by", named(model.classifier, CLASSIFIERS)),
    fact("Trained", day(model.trained)),
    updated ? fact("Updated", updatedWords(updated)) : null,
    fact("In use since", day(model.loaded)));
};

const updatedWords = ({ documents, times, last }) => `${day(last)}, with ${counted(documents, "document")} in ${counted(times, "update")}`;

const overallOf = (heldOut, several) => {
  const line = (title, value, words) => make("li", {}, make("span", { class: "big" }, value), make("b", {}, title), make("span", { class: "note" }, words));
  return make("ul", { class: "scores" },
    heldOut.accuracy === undefined ? null : line(several ? "All classes right" : "Right", percent(heldOut.accuracy), several ? "of the documents got exactly their classes (accuracy)" : "of the documents got their class (accuracy)"),
    line("F1, all documents", written(heldOut.micro_f1, 3), "1 is perfect; large classes count more (micro-F1)"),
    line("F1, all classes", written(heldOut.macro_f1, 3), "1 is perfect; each class counts the same (macro-F1)"));
};

const share = (title, name) => ({
  title, kind: "number",
  value: (row) => row.measured?.[name] ?? null,
  cell: (row) => (row.measured ? [bar(row.measured[name]), " ", written(row.measured[name], 3)] : "–"),
});

const classTable = ({ classes, held_out: heldOut }) => {
  const measured = new Map((heldOut?.classes ?? []).filter((each) => each.documents + (each.predicted ?? 0) > 0).map((each) => [JSON.stringify(each.label), each]));
  const rows = classes.map((each) => ({ ...each, measured: measured.get(JSON.stringify(each.label)) ?? null }));
  const columns = [
    { title: "Class", kind: "text", value: ({ label }) => labelText(label), cell: ({ label, documents }) => [...labelParts(label), make("span", { class: "note narrow" }, counted(documents, "document"))] },
    { title: "Documents", kind: "number wide", value: ({ documents }) => documents, cell: ({ documents }) => written(documents) },
    ...(heldOut ? [share("Precision", "precision"), share("Recall", "recall"), share("F1", "f1"),
      { title: "Tested on", kind: "number wide", value: (row) => row.measured?.documents ?? null, cell: (row) => written(row.measured?.documents ?? null) }] : []),
  ];
  return sortableTable(heldOut ? "Press the title of a column to sort." : "Documents of each class.", columns, rows);
};

const wordsOn = ({ documents, share: part, untested_classes: untested }, isUpdated) =>
  `For a test, ${counted(documents, "document")} (${percent(part, 0)}) were kept out of training, and then classified`
  + (isUpdated ? "; that was before it was updated. " : ". ")
  + (untested ? `${counted(untested, "class has", "classes have")} no such document.` : "");

const settingsOf = (settings) => make("details", {}, make("summary", {}, "All settings"),
  make("dl", { class: "facts small" }, Object.entries(settings ?? {}).map(([name, value]) => fact(name, JSON.stringify(value)))));

export const showModel = (model) => {
  const heldOut = model.held_out, several = model.labels !== "one";
  byId("card").replaceChildren(
    make("div", { class: "card" }, make("h3", {}, "What it is"), factsOf(model), settingsOf(model.settings)),
    make("div", { class: "card" }, make("h3", {}, "How good it is"),
      ...(heldOut ? [make("p", {}, wordsOn(heldOut, Boolean(model.updated))), overallOf(heldOut, several)] : [make("p", {}, "It was not tested when it was trained. Train with --held-out to know.")])),
    make("div", { class: "card" }, make("h3", {}, "Its classes"),
      ...(heldOut ? [make("p", { class: "note" }, "Precision: of the documents that were given this class, the share that has it. Recall: of the documents that have it, the share that was found. F1: both in one number, high only if both are.")] : []),
      classTable(model)));
};
