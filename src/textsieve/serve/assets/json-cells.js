// JSON cut into cells, each as it is written in the file.
//
// A number of a browser has 53 bits: 12345678901234567890 read as one and written again is 12345678901234567000, and
// 1.0 is 1. So values are not read but cut out of the text, which `JSON.parse` has found to be JSON: only then do the
// ends of values follow from quotes and brackets alone.

const SPACE = /[ \t\r\n]*/y;
const PLAIN = /[^,\]} \t\r\n]*/y; // a number, true, false, null
const MARKS = /["[\]{}]/g;

const past = (pattern, text, at) => {
  pattern.lastIndex = at;
  return at + pattern.exec(text)[0].length;
};

/** Where a string ends that begins at `start`: at a quote with an even number of backslashes before it. */
const endOfString = (text, start) => {
  for (let close = text.indexOf('"', start + 1); ; close = text.indexOf('"', close + 1)) {
    let first = close;
    while (text[first - 1] === "\\") first -= 1;
    if ((close - first) % 2 === 0) return close + 1;
  }
};

const endOfNested = (text, start) => {
  let depth = 0, at = start;
  do {
    MARKS.lastIndex = at;
    const { index } = MARKS.exec(text), mark = text[index];
    at = mark === '"' ? endOfString(text, index) : index + 1;
    if (mark === "{" || mark === "[") depth += 1;
    else if (mark !== '"') depth -= 1;
  } while (depth > 0);
  return at;
};

const endOf = (text, start) => {
  if (text[start] === '"') return endOfString(text, start);
  return text[start] === "{" || text[start] === "[" ? endOfNested(text, start) : past(PLAIN, text, start);
};

/** The values between the brackets of a list or an object, of which names and values take turns. */
const partsOf = (json) => {
  const parts = [];
  for (let at = past(SPACE, json, 1); at < json.length - 1; at = past(SPACE, json, at)) {
    const end = endOf(json, at);
    parts.push(json.slice(at, end));
    at = past(SPACE, json, end) + 1; // a comma, a colon, or the last bracket
  }
  return parts;
};

/** A string is what it says, null is no cell, all else stays as it is written. */
const cellOf = (json) => {
  if (json === "null") return null;
  return json[0] === '"' ? JSON.parse(json) : json;
};

/** The values of a list, each as it is written. */
export const itemsOf = (json) => partsOf(json.trim());

/** An object is a map from its names to cells; all else is a cell. */
export const recordOf = (json) => {
  const own = json.trim();
  if (own[0] !== "{") return cellOf(own);
  const parts = partsOf(own), record = new Map();
  for (let at = 0; at < parts.length; at += 2) record.set(JSON.parse(parts[at]), cellOf(parts[at + 1]));
  return record;
};
