// Predictions as columns of a table: what is downloaded, and what is counted.

import { harmless } from "./csv.js";
import { isNumber, labelText } from "./dom.js";

const JOINS = ["|", ";", ",", "\n"];

/** What stands between several labels in one cell: what no class has in its name. */
export const joinOf = (classes) =>
  JOINS.find((join) => !classes.some(({ label }) => String(label).includes(join))) ?? JOINS[0];

export const labelsOf = (prediction) => prediction.labels ?? [prediction.label];

/** The score of a label in `scores`, whose names are as Python writes them: its 1e-05 is 0.00001 here. */
export const figureOf = (figures, label) => {
  const own = (name) => (name !== undefined && Object.hasOwn(figures ?? {}, name) ? figures[name] : undefined);
  const isSame = (name) => name.trim() !== "" && Number(name) === label;
  return own(String(label)) ?? own(isNumber(label) ? Object.keys(figures ?? {}).find(isSame) : undefined);
};

/** Labels as a cell, which names of classes must not make a formula; numbers are none. */
const labelCell = (labels, join) => {
  const text = labels.map(String).join(join);
  return labels.every(isNumber) ? text : harmless(text);
};

/** The columns that are added: their names, and a cell of each for a prediction. */
export const addedColumns = (model) => {
  const join = joinOf(model.classes);
  const several = (values, prediction) => labelsOf(prediction).map((label) => figureOf(values, label) ?? "").join(join);
  const unknown = ["unknown", (prediction) => (prediction.unknown ? "true" : "")];
  if (model.labels === "one") {
    return [
      ["label", (prediction) => labelCell(labelsOf(prediction), join)],
      ["score", ({ score }) => score],
      ...(model.probabilities ? [["probability", ({ probability }) => probability ?? ""]] : []),
      unknown,
    ];
  }
  return [
    ["labels", (prediction) => labelCell(labelsOf(prediction), join)],
    ["scores", (prediction) => several(prediction.scores, prediction)],
    ...(model.probabilities ? [["probabilities", (prediction) => several(prediction.probabilities, prediction)]] : []),
    unknown,
  ];
};

/** A name that no column has yet. */
const freeName = (name, taken) => {
  let free = name;
  for (let number = 1; taken.includes(free); number += 1) free = `predicted_${name}${number > 1 ? `_${number}` : ""}`;
  return free;
};

/** All rows with what was found; a document that failed says why in the last column. */
export const tableWith = (table, predictions, model) => {
  const added = addedColumns(model);
  const names = [...added.map(([name]) => name), "error"].map((name) => freeName(name, table.columns));
  const cells = ({ prediction, fault }) =>
    [...added.map(([, cell]) => (prediction ? cell(prediction) : "")), harmless(fault ?? "")];
  return [
    [...table.columns.map(harmless), ...names],
    ...table.rows.map((row, place) => [...row.map(harmless), ...cells(predictions[place])]),
  ];
};

/** How many documents each class has, the most frequent first. */
export const countsOf = (predictions) => {
  const counts = new Map();
  for (const { prediction } of predictions) {
    if (!prediction) continue;
    const names = labelsOf(prediction).map(labelText);
    for (const each of names.length ? names : ["(no class)"]) counts.set(each, (counts.get(each) ?? 0) + 1);
  }
  return [...counts].sort((one, other) => other[1] - one[1]);
};
