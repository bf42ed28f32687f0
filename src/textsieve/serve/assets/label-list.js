// A list of documents and the reader's decisions about them: labels, skipped documents, and undo.
//
// A decision can be withdrawn without a trace as long as it was not sent to the server. So the last decision waits
// until the next one is made, the list ends, or the reader leaves the page. A label that was sent is in the corrections
// file and stays there. Another label for the same text is added after it, and `textsieve update` learns the last one.
// A label that the server rejected has a fault, and is not sent again: the document needs another label.

import { textColumnsOf, textOfRow } from "./documents.js";
import { labelKey } from "./dom.js";

const cellOf = ({ columns }, row, name) => {
  const index = columns.indexOf(name);
  return index < 0 ? null : row[index];
};

/** Returns the documents of a table that have a text, each with its text and the reason why it was suggested. */
export const documentsToLabel = (table, trainedNames) => {
  const columns = textColumnsOf(table, trainedNames);
  return table.rows
    .filter((_, index) => !table.faults.has(index))
    .map((row) => ({ text: textOfRow(row, columns), why: cellOf(table, row, "why") }))
    .filter(({ text }) => text?.trim());
};

const keyOf = (labels) => (labels === null ? null : JSON.stringify(labels.map(labelKey).sort()));

/** Returns a list with the decisions about documents.
 *
 * The labels of a document are null while there is no decision, and an empty list if none of the classes is right.
 */
export const labelList = (documents) => {
  const undecided = { labels: null, isSkipped: false, fault: null };
  const entries = documents.map((document) => ({ ...document, ...undecided, sent: null }));
  const history = []; // positions of decided entries, the last decision last
  let position = 0;

  const goOn = (decision) => {
    Object.assign(entries[position], undecided, decision);
    history.push(position);
    position += 1;
  };
  const isUnsaved = ({ labels, sent }) => labels !== null && keyOf(labels) !== keyOf(sent);
  const labelsOf = ({ labels, sent }) => labels ?? sent;

  return {
    size: entries.length,
    /** Returns the position of the current entry, from 0; at the end, the number of entries. */
    position: () => position,
    /** Returns the current entry, or null at the end; or one at another distance, such as the next one. */
    entry: (distance = 0) => entries[position + distance] ?? null,
    label: (labels) => goOn({ labels }),
    skip: () => goOn({ isSkipped: true }),
    canUndo: () => history.length > 0,
    /** Goes back to the document of the last decision and withdraws it; returns the entry. */
    undo: () => {
      position = history.pop();
      return Object.assign(entries[position], undecided);
    },
    /** Returns the entries to send now: all, or all but the last decision, which can still be undone. */
    toSend: (isLeaving = false) => {
      const last = isLeaving || position === entries.length ? null : history.at(-1);
      return entries.filter((entry, index) => index !== last && entry.fault === null && isUnsaved(entry));
    },
    /** Returns the entries whose labels the server rejected. */
    rejected: () => entries.filter(({ fault }) => fault !== null),
    nUnsaved: () => entries.filter(isUnsaved).length,
    nLabelled: () => entries.filter((entry) => labelsOf(entry) !== null).length,
    nSkipped: () => entries.filter((entry) => entry.isSkipped && labelsOf(entry) === null).length,
    /** Returns the labelled documents as JSON lines, which `textsieve train` and `textsieve update` read. */
    jsonLines: (isMultilabel) => entries.filter((entry) => labelsOf(entry) !== null).map((entry) => {
      const labels = labelsOf(entry);
      return `${JSON.stringify({ text: entry.text, ...(isMultilabel ? { labels } : { label: labels[0] ?? null }) })}\n`;
    }).join(""),
  };
};
