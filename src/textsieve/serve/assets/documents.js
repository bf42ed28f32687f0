// Documents of a file: a table with a column of texts, whatever the file is.
//
// A table is `{kind, columns, rows, faults, warning}`: names, rows of cells, and for a row that could not be read what
// is wrong with it. A cell is text, as the file has it, or null where the file has none. The same names of columns are
// looked for as on the command line.

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
const LOOKED_AT = 200; // rows of which the longest column is told

const plainName = (name) => String(name).trim().toLowerCase();
const isUsual = (name) => TEXT_NAMES.includes(plainName(name)) || LABEL_NAMES.includes(plainName(name));

/** Whether a row looks like names: one is usual, or all are short, different, and none is a number. */
export const looksLikeNames = (row) => {
  if (row.some(isUsual)) return true;
  const names = row.map(plainName), isNoName = /[.!?]\s|\d{3,}$|^[-+]?[\d.,]+$/;
  const areNames = names.every((name) => name !== "" && name.length <= 30 && !isNoName.test(name));
  return row.length > 1 && areNames && new Set(names).size === names.length;
};

/** A table of cells, with names of its first row or numbers for names; rows are made equally long. */
export const tableOf = (rows, hasNames) => {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const names = hasNames ? rows[0] ?? [] : [];
  const columns = Array.from({ length: width }, (_, at) => names[at] || `column ${at + 1}`);
  const full = (row) => (row.length === width ? row : [...row, ...Array(width - row.length).fill(null)]);
  return { columns, rows: (hasNames ? rows.slice(1) : rows).map(full) };
};

const ofCsv = (text, separator, hasNames) => {
  const { rows, unclosed } = parseCsv(text, separator);
  const first = hasNames ?? (rows.length > 0 && looksLikeNames(rows[0]));
  const kind = `a table with ${SEPARATORS[separator]} between its columns`;
  const words = `A quote that opens in line ${unclosed} is never closed; all that follows was read as one cell.`;
  return { kind, separator, ...tableOf(rows, first), hasNames: first, warning: unclosed === null ? null : words };
};

/** Objects have their names for columns, in the order in which they come; all else is a text. */
const ofRecords = (records, kind, faults = new Map()) => {
  const places = new Map();
  const isObject = (record) => record instanceof Map;
  const ownPlace = (name) => { if (!places.has(name)) places.set(name, places.size); };
  records.forEach((record) => { if (isObject(record)) [...record.keys()].forEach(ownPlace); });
  if (!places.size || records.some((record, at) => !isObject(record) && !faults.has(at))) ownPlace("text");
  const rows = records.map((record) => {
    const row = Array(places.size).fill(null);
    if (isObject(record)) record.forEach((cell, name) => { row[places.get(name)] = cell; });
    else row[places.get("text") ?? 0] = record;
    return row;
  });
  return { kind, columns: [...places.keys()], rows, faults };
};

const ofJsonLines = (text) => {
  const records = [], faults = new Map();
  text.split(/\r\n|\n|\r/).forEach((line, at) => {
    if (line.trim() === "") return;
    try {
      JSON.parse(line);
      records.push(recordOf(line));
    } catch {
      faults.set(records.length, `line ${at + 1} is not JSON`);
      records.push(line);
    }
  });
  return ofRecords(records, "JSON lines", faults);
};

const ofJson = (text) => {
  try {
    const isList = Array.isArray(JSON.parse(text));
    return ofRecords((isList ? itemsOf(text) : [text]).map(recordOf), "a list in JSON");
  } catch {
    return ofJsonLines(text);
  }
};

const ofLines = (text) => {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== "");
  return { kind: "plain text with a document in each line", columns: ["text"], rows: lines.map((line) => [line]) };
};

const KINDS = {
  csv: (text, hasNames) => ofCsv(text, separatorOf(text), hasNames),
  tsv: (text, hasNames) => ofCsv(text, "\t", hasNames),
  tab: (text, hasNames) => ofCsv(text, "\t", hasNames),
  jsonl: ofJsonLines,
  ndjson: ofJsonLines,
  json: ofJson,
};

/** What there is in a file, by the ending of its name; if that says nothing, by how it begins. */
export const documentsOf = (name, content, hasNames = null) => {
  const text = content.startsWith("\ufeff") ? content.slice(1) : content;
  const begins = text.trimStart();
  const looks = begins.startsWith("{") || /^\[\s*["{]/.test(begins) ? ofJson : ofLines;
  const found = (KINDS[name.split(".").pop().toLowerCase()] ?? looks)(text, hasNames);
  return { faults: new Map(), warning: null, hasNames: null, ...found };
};

/** The column with the texts: by a usual name, else the one with the longest cells. */
export const textColumnOf = ({ columns, rows }) => {
  const names = columns.map(plainName);
  const usual = TEXT_NAMES.find((name) => names.includes(name));
  if (usual !== undefined) return names.indexOf(usual);
  const first = rows.slice(0, LOOKED_AT);
  const lengths = columns.map((_, at) => first.reduce((sum, row) => sum + (row[at]?.length ?? 0), 0));
  return lengths.reduce((best, length, at) => (length > lengths[best] ? at : best), 0);
};
