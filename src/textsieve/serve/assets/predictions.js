// Predictions as columns of a table for the download, and counts of the classes.

import { harmless } from "./csv.js";
import { isNumber, labelText } from "./dom.js";

const JOINS = ["|", ";", ",", "\n"];

/** Returns the separator of labels in one cell: one that no class has in its name. */
export const joinOf = (classes) =>
  JOINS.find((join) => !classes.some(({ label }) => String(label).includes(join))) ?? JOINS[0];

/** Returns the labels of a prediction; none if the model is not sure. */
export const labelsOf = (prediction) => prediction.labels ?? (isUnsure(prediction) ? [] : [prediction.label]);

/** Returns whether the model is not sure, and has only a best guess. */
export const isUnsure = ({ best_guess: guess }) => guess !== undefined;

/** Returns the number of a label. Names of `figures` are as Python writes them: its 1e-05 is 0.00001 in JavaScript. */
export const figureOf = (figures, label) => {
  const get = (name) => (name !== undefined && Object.hasOwn(figures ?? {}, name) ? figures[name] : undefined);
  const isSame = (name) => name.trim() !== "" && Number(name) === label;
  return get(String(label)) ?? get(isNumber(label) ? Object.keys(figures ?? {}).find(isSame) : undefined);
};

/** Returns labels as a cell that is no formula in a spreadsheet; numbers never are. */
const labelCell = (labels, join) => {
  const text = labels.map(String).join(join);
  return labels.every(isNumber) ? text : harmless(text);
};

const guessCell = (prediction) => (isUnsure(prediction) ? labelCell([prediction.best_guess], "") : "");

/** Returns the added columns: their names, and functions from a prediction to a cell. */
export const addedColumns = (model) => {
  const join = joinOf(model.classes);
  const cellOf = (values, prediction) => labelsOf(prediction).map((label) => figureOf(values, label) ?? "").join(join);
  const unknown = ["unknown", (prediction) => (prediction.unknown ? "true" : "")];
  if (!model.multilabel) {
    return [
      ["label", (prediction) => labelCell(labelsOf(prediction), join)],
      ...(isNumber(model.min_probability) ? [["best_guess", guessCell]] : []),
      ["score", ({ score }) => score],
      ...(model.probabilities ? [["probability", ({ probability }) => probability ?? ""]] : []),
      unknown,
    ];
  }
  return [
    ["labels", (prediction) => labelCell(labelsOf(prediction), join)],
    ["scores", (prediction) => cellOf(prediction.scores, prediction)],
    ...(model.probabilities ? [["probabilities", (prediction) => cellOf(prediction.probabilities, prediction)]] : []),
    unknown,
  ];
};

/** Returns a name that no column has yet. */
const freeName = (name, columns) => {
  let free = name;
  for (let number = 1; columns.includes(free); number += 1) {
    free = `predicted_${name}${number > 1 ? `_${number}` : ""}`;
  }
  return free;
};

/** Returns all rows with their predictions; the last column has the error of a document that failed. */
export const tableWith = (table, results, model) => {
  const newColumns = addedColumns(model);
  const names = [...newColumns.map(([name]) => name), "error"].map((name) => freeName(name, table.columns));
  const cells = ({ prediction, fault }) =>
    [...newColumns.map(([, cell]) => (prediction ? cell(prediction) : "")), harmless(fault ?? "")];
  return [
    [...table.columns.map(harmless), ...names],
    ...table.rows.map((row, index) => [...row.map(harmless), ...cells(results[index])]),
  ];
};

/** Returns the names of the classes of a document, or that it has none. */
export const classNamesOf = ({ prediction }) => {
  if (!prediction) return ["(not classified)"];
  const names = labelsOf(prediction).map(labelText);
  return names.length ? names : [isUnsure(prediction) ? "(not sure)" : "(no class)"];
};

/** Returns the number of documents per class, the most frequent class first. */
export const countsOf = (results) => {
  const counts = new Map();
  for (const name of results.flatMap(classNamesOf)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
};

/** Returns the probability of the class of a document, or the lowest of its classes; null if there is none. */
export const confidenceOf = ({ prediction }) => {
  const { probability, probabilities } = prediction ?? {};
  if (isNumber(probability)) return probability;
  const all = prediction ? labelsOf(prediction).map((label) => figureOf(probabilities, label)).filter(isNumber) : [];
  return all.length ? Math.min(...all) : null;
};
