// The model's card: what it is, from what it learned, and how good it was on documents that it had not seen.

import { bar, byId, counted, day, labelKey, labelParts, labelText, make, percent, written } from "./dom.js";
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
const TESTED = "Precision: of the documents that were given this class, the share that has it. Recall: of the "
  + "documents that have it, the share that was found. F1: both in one number, high only if both are.";
const UNTESTED = "It was not tested when it was trained. Train with --held-out to know.";

const plain = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const named = (name, table) => (name in table ? `${table[name]} (“${name}”)` : plain(name));
const size = (bytes) => (bytes >= 1e6 ? `${written(bytes / 1e6, 1)} MB` : `${written(bytes / 1e3, 1)} kB`);
const classesOf = (number) => counted(number, "class", "classes");

/** What a model does, in one sentence. */
export const summaryOf = ({ name, classes, labels }) =>
  `${name} sorts texts into ${classesOf(classes.length)}${labels === "one" ? "" : "; a text may have several"}.`;

const answersOf = ({ labels, probabilities }) =>
  `${labels === "one" ? "one class" : "any number of classes"} for each text`
  + (probabilities ? ", and how probable they are" : "");

const termsOf = ({ terms, settings, selector }) =>
  counted(terms, "term")
  + (settings?.ngram_range?.[1] > 1 ? ", words and runs of words" : "")
  + (selector ? `, chosen ${named(selector, SELECTORS)}` : "");

const updatesOf = ({ documents, times, last }) =>
  `${day(last)}, with ${counted(documents, "document")} in ${counted(times, "update")}`;

const fact = (title, words) => [make("dt", {}, title), make("dd", {}, words)];

const factsOf = (model) => {
  const seen = model.documents ?? model.classes.reduce((sum, each) => sum + each.documents, 0);
  return make("dl", { class: "facts" },
    fact("Name", `${model.name}, ${size(model.bytes)}`),
    fact("Answers with", answersOf(model)),
    fact("Learned from", `${counted(seen, "document")} in ${classesOf(model.classes.length)}`),
    fact("Looks at", termsOf(model)),
    fact("Decides by", named(model.classifier, CLASSIFIERS)),
    fact("Trained", day(model.trained)),
    model.updated ? fact("Updated", updatesOf(model.updated)) : null,
    fact("In use since", day(model.loaded)));
};

const settingsOf = (settings) => {
  const facts = Object.entries(settings ?? {}).map(([name, value]) => fact(name, JSON.stringify(value)));
  return make("details", {}, make("summary", {}, "All settings"), make("dl", { class: "facts small" }, facts));
};

const testOf = ({ held_out: { documents, share, untested_classes: untested }, updated }) =>
  `For a test, ${counted(documents, "document")} (${percent(share, 0)}) were kept out of training, and then classified`
  + (updated ? "; that was before it was updated. " : ". ")
  + (untested ? `${counted(untested, "class has", "classes have")} no such document.` : "");

const scoresOf = ({ held_out: { accuracy, micro_f1: micro, macro_f1: macro }, labels }) => {
  const line = (title, value, words) => make("li", {},
    make("span", { class: "big" }, value), make("b", {}, title), make("span", { class: "note" }, words));
  const right = labels === "one"
    ? ["Right", percent(accuracy), "of the documents got their class (accuracy)"]
    : ["All classes right", percent(accuracy), "of the documents got exactly their classes (accuracy)"];
  return make("ul", { class: "scores" },
    accuracy === undefined ? null : line(...right),
    labels === "one" ? null // with one class for each document it is the accuracy
      : line("F1, all documents", written(micro, 3), "1 is perfect; large classes count more (micro-F1)"),
    line("F1, all classes", written(macro, 3), "1 is perfect; each class counts the same (macro-F1)"));
};

const shareColumn = (title, name) => ({
  title, kind: "number",
  value: ({ measured }) => measured?.[name] ?? null,
  cell: ({ measured }) => (measured ? [bar(measured[name]), " ", written(measured[name], 3)] : "–"),
});
const countColumn = (title, count) => (
  { title, kind: "number", value: count, cell: (row) => written(count(row)) });
const NAME = {
  title: "Class", kind: "text",
  value: ({ label }) => labelText(label),
  cell: ({ label }) => labelParts(label),
};

/** Classes of which no document was held out, and which none was given, were not measured. */
const measuredBy = (heldOut) => {
  const rows = (heldOut?.classes ?? []).filter(({ documents, predicted }) => documents + (predicted ?? 0) > 0);
  return new Map(rows.map((each) => [labelKey(each.label), each]));
};

const classTable = ({ classes, held_out: heldOut }) => {
  const measured = measuredBy(heldOut);
  const rows = classes.map((each) => ({ ...each, measured: measured.get(labelKey(each.label)) ?? null }));
  const ofTest = [
    shareColumn("Precision", "precision"), shareColumn("Recall", "recall"), shareColumn("F1", "f1"),
    countColumn("Tested on", (row) => row.measured?.documents ?? null),
  ];
  const columns = [NAME, countColumn("Documents", ({ documents }) => documents), ...(heldOut ? ofTest : [])];
  return sortableTable("Press the title of a column to sort.", columns, rows);
};

export const showModel = (model) => {
  const card = (title, ...content) => make("div", { class: "card" }, make("h3", {}, title), content);
  const isTested = Boolean(model.held_out);
  byId("card").replaceChildren(
    card("What it is", factsOf(model), settingsOf(model.settings)),
    card("How good it is", make("p", {}, isTested ? testOf(model) : UNTESTED), isTested ? scoresOf(model) : null),
    card("Its classes", isTested ? make("p", { class: "note" }, TESTED) : null, classTable(model)));
};
