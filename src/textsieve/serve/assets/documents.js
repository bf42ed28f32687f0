// Read the documents of a file as a table with a column of texts, whatever the format of the file.
//
// The content of a file is its text, or the rows of a sheet. A table is `{kind, columns, rows, faults, warning}`: the
// names of the columns, rows of cells, and a message for each row that could not be read. A cell is text as in the
// file, or null if the file has none. The names of text and label columns are the same as on the command line.

import { SEPARATORS, parseCsv, separatorOf } from "./csv.js";
import { itemsOf, recordOf } from "./json-cells.js";

const TEXT_NAMES = [
  ...["text", "texts", "body", "content", "document", "doc", "message", "sentence", "review"],
  ...["comment", "article", "abstract", "tweet", "post", "question", "description"],
];
const LABEL_NAMES = [
  ...["label", "labels", "class", "classes", "category", "categories", "topic", "topics", "target"],
  ...["tag", "tags", "genre", "sentiment", "intent", "y"],
];
const SAMPLE_ROWS = 200; // rows that are used to find the longest column

const normalName = (name) => String(name).trim().toLowerCase();
const isKnownName = (name) => TEXT_NAMES.includes(normalName(name)) || LABEL_NAMES.includes(normalName(name));

/** Returns whether a row has column names: one is a known name, or all are short, different, and not numbers. */
export const looksLikeNames = (row) => {
  if (row.some(isKnownName)) return true;
  const names = row.map(normalName), notName = /[.!?]\s|\d{3,}$|^[-+]?[\d.,]+$/;
  const areNames = names.every((name) => name !== "" && name.length <= 30 && !notName.test(name));
  return row.length > 1 && areNames && new Set(names).size === names.length;
};

/** Returns a table with the names from its first row, or with numbered columns; all rows get the same length. */
export const tableOf = (rows, hasNames) => {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  const names = hasNames ? rows[0] ?? [] : [];
  const columns = Array.from({ length: width }, (_, index) => names[index] || `column ${index + 1}`);
  const pad = (row) => (row.length === width ? row : [...row, ...Array(width - row.length).fill(null)]);
  return { columns, rows: (hasNames ? rows.slice(1) : rows).map(pad) };
};

const ofCsv = (text, separator, hasNames) => {
  const { rows, unclosed } = parseCsv(text, separator);
  const first = hasNames ?? (rows.length > 0 && looksLikeNames(rows[0]));
  const kind = `a table with columns separated by ${SEPARATORS[separator]}`;
  const message = `The quote in line ${unclosed} is never closed; everything after it was read as one cell.`;
  return { kind, separator, ...tableOf(rows, first), hasNames: first, warning: unclosed === null ? null : message };
};

/** Returns a table of JSON records. Names in objects become columns, in order of appearance; other values are texts. */
const ofRecords = (records, kind, faults = new Map()) => {
  const columns = new Map();
  const isObject = (record) => record instanceof Map;
  const addColumn = (name) => { if (!columns.has(name)) columns.set(name, columns.size); };
  records.forEach((record) => { if (isObject(record)) [...record.keys()].forEach(addColumn); });
  if (!columns.size || records.some((record, index) => !isObject(record) && !faults.has(index))) addColumn("text");
  const rows = records.map((record) => {
    const row = Array(columns.size).fill(null);
    if (isObject(record)) record.forEach((cell, name) => { row[columns.get(name)] = cell; });
    else row[columns.get("text") ?? 0] = record;
    return row;
  });
  return { kind, columns: [...columns.keys()], rows, faults };
};

const ofJsonLines = (text) => {
  const records = [], faults = new Map();
  text.split(/\r\n|\n|\r/).forEach((line, index) => {
    if (line.trim() === "") return;
    try {
      JSON.parse(line);
      records.push(recordOf(line));
    } catch {
      faults.set(records.length, `line ${index + 1} is not JSON`);
      records.push(line);
    }
  });
  return ofRecords(records, "JSON lines", faults);
};

const ofJson = (text) => {
  try {
    const isList = Array.isArray(JSON.parse(text));
    return ofRecords((isList ? itemsOf(text) : [text]).map(recordOf), "a JSON list");
  } catch {
    return ofJsonLines(text);
  }
};

const ofLines = (text) => {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== "");
  return { kind: "plain text with one document per line", columns: ["text"], rows: lines.map((line) => [line]) };
};

const ofSheet = (rows, hasNames) => {
  const first = hasNames ?? (rows.length > 0 && looksLikeNames(rows[0]));
  return { kind: "an Excel sheet", ...tableOf(rows, first), hasNames: first };
};

const READERS = {
  csv: (text, hasNames) => ofCsv(text, separatorOf(text), hasNames),
  tsv: (text, hasNames) => ofCsv(text, "\t", hasNames),
  tab: (text, hasNames) => ofCsv(text, "\t", hasNames),
  jsonl: ofJsonLines,
  ndjson: ofJsonLines,
  json: ofJson,
};

/** Returns the table of a file or a sheet. The format of a text is detected from its extension or its beginning. */
export const documentsOf = (name, content, hasNames = null) => {
  if (Array.isArray(content)) return { faults: new Map(), warning: null, ...ofSheet(content, hasNames) };
  const text = content.startsWith("\ufeff") ? content.slice(1) : content;
  const start = text.trimStart();
  const detectedReader = start.startsWith("{") || /^\[\s*["{]/.test(start) ? ofJson : ofLines;
  const read = READERS[name.split(".").pop().toLowerCase()] ?? detectedReader;
  return { faults: new Map(), warning: null, hasNames: null, ...read(text, hasNames) };
};

/** Returns the text of a row: its cells in these columns, with a blank line between them and without blank cells. */
export const textOfRow = (row, columns) => {
  if (columns.length === 1) return row[columns[0]];
  return columns.map((column) => row[column] ?? "").filter((cell) => cell.trim() !== "").join("\n\n");
};

/** Returns the index of the text column: the one with a known name, or else the one with the longest cells. */
export const textColumnOf = ({ columns, rows }) => {
  const names = columns.map(normalName);
  const textName = TEXT_NAMES.find((name) => names.includes(name));
  if (textName !== undefined) return names.indexOf(textName);
  const sample = rows.slice(0, SAMPLE_ROWS);
  const lengths = columns.map((_, column) => sample.reduce((sum, row) => sum + (row[column]?.length ?? 0), 0));
  return lengths.reduce((best, length, column) => (length > lengths[best] ? column : best), 0);
};

/** Returns the indices of the text columns: all those with the names from training, or else the likeliest one. */
export const textColumnsOf = (table, trainedNames) => {
  const columns = trainedNames.map((name) => table.columns.indexOf(name));
  return columns.length && !columns.includes(-1) ? columns : [textColumnOf(table)];
};
