// Split JSON into cells that keep the spelling of the file.
//
// Numbers in JavaScript have 53 bits: 12345678901234567890 would be written back as 12345678901234567000, and 1.0 as 1.
// So values are not parsed but cut out of the text. `JSON.parse` has checked the text before, so quotes and brackets
// are enough to find the end of a value.

const SPACE = /[ \t\r\n]*/y;
const PLAIN = /[^,\]} \t\r\n]*/y; // a number, true, false or null
const MARKS = /["[\]{}]/g;

/** Returns the position after the text that a pattern matches at a position. */
const skip = (pattern, text, position) => {
  pattern.lastIndex = position;
  return position + pattern.exec(text)[0].length;
};

/** Returns the end of a string that begins at `start`: a quote after an even number of backslashes. */
const endOfString = (text, start) => {
  for (let close = text.indexOf('"', start + 1); ; close = text.indexOf('"', close + 1)) {
    let first = close;
    while (text[first - 1] === "\\") first -= 1;
    if ((close - first) % 2 === 0) return close + 1;
  }
};

/** Returns the end of a list or an object that begins at `start`. */
const endOfNested = (text, start) => {
  let depth = 0, position = start;
  do {
    MARKS.lastIndex = position;
    const { index } = MARKS.exec(text), mark = text[index];
    position = mark === '"' ? endOfString(text, index) : index + 1;
    if (mark === "{" || mark === "[") depth += 1;
    else if (mark !== '"') depth -= 1;
  } while (depth > 0);
  return position;
};

/** Returns the end of a value that begins at `start`. */
const endOf = (text, start) => {
  if (text[start] === '"') return endOfString(text, start);
  return text[start] === "{" || text[start] === "[" ? endOfNested(text, start) : skip(PLAIN, text, start);
};

/** Returns the values between the brackets of a list or an object; in an object, names and values alternate. */
const partsOf = (json) => {
  const parts = [];
  for (let position = skip(SPACE, json, 1); position < json.length - 1; position = skip(SPACE, json, position)) {
    const end = endOf(json, position);
    parts.push(json.slice(position, end));
    position = skip(SPACE, json, end) + 1; // skips a comma, a colon or the closing bracket
  }
  return parts;
};

/** Returns the content of a string, null for null, and any other value as it is written. */
const cellOf = (json) => {
  if (json === "null") return null;
  return json[0] === '"' ? JSON.parse(json) : json;
};

/** Returns the values of a list, each as it is written. */
export const itemsOf = (json) => partsOf(json.trim());

/** Returns an object as a map from names to cells, and any other value as a cell. */
export const recordOf = (json) => {
  const value = json.trim();
  if (value[0] !== "{") return cellOf(value);
  const parts = partsOf(value), record = new Map();
  for (let index = 0; index < parts.length; index += 2) record.set(JSON.parse(parts[index]), cellOf(parts[index + 1]));
  return record;
};
