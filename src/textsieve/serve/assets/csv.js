// Read and write CSV by RFC 4180: quoted cells may contain separators, line breaks and doubled quotes.
//
// Empty lines are skipped. A row of one empty cell is written as `""`, as Python does, so that a table with one column
// has as many rows as documents.

const QUOTE = '"';
export const SEPARATORS = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars" };

/** Returns the value and the end of a quoted cell that begins at `start`; `end` is -1 if it is never closed. */
const readQuoted = (text, start) => {
  let value = "";
  for (let from = start + 1; ;) {
    const close = text.indexOf(QUOTE, from);
    if (close < 0) return { value: value + text.slice(from), end: -1 };
    value += text.slice(from, close);
    if (text[close + 1] !== QUOTE) return { value, end: close + 1 };
    value += QUOTE;
    from = close + 2;
  }
};

/** Returns at most `maxRows` rows of cells, and the line of a quote that is never closed, or null. */
export const parseCsv = (content, separator = ",", maxRows = Infinity) => {
  const text = content.startsWith("\ufeff") ? content.slice(1) : content;
  const plain = new RegExp(`[^${separator === "|" ? "\\|" : separator}\\r\\n]*`, "y");
  const rows = [];
  let row = [], isBlank = true, position = 0, unclosed = null;
  const endRow = () => {
    if (!isBlank) rows.push(row);
    row = [];
    isBlank = true;
  };
  while (position < text.length && rows.length < maxRows) {
    let value = "";
    if (text[position] === QUOTE) {
      isBlank = false;
      const cell = readQuoted(text, position);
      if (cell.end < 0) unclosed = text.slice(0, position).split(/\r\n|\r|\n/).length;
      value = cell.value;
      position = cell.end < 0 ? text.length : cell.end;
    }
    plain.lastIndex = position;
    const rest = plain.exec(text)[0]; // text after a closing quote breaks the rule, but is kept
    row.push(value + rest);
    position += rest.length;
    if (rest !== "" || text[position] === separator) isBlank = false;
    if (text[position] === separator) {
      position += 1;
      if (position === text.length) row.push("");
      continue;
    }
    if (text[position] === "\r" && text[position + 1] === "\n") position += 1;
    position += 1;
    endRow();
  }
  if (row.length) endRow();
  return { rows, unclosed };
};

/** Returns the separator for which most of the first rows have the same number of cells; by default a comma. */
export const separatorOf = (text) => {
  let best = { separator: ",", agreement: 0, cells: 1 };
  for (const separator of Object.keys(SEPARATORS)) {
    const { rows } = parseCsv(text.slice(0, 200_000), separator, 20);
    const cells = rows[0]?.length ?? 1;
    const agreement = rows.filter((row) => row.length === cells).length / (rows.length || 1);
    if (cells > 1 && (agreement > best.agreement || (agreement === best.agreement && cells > best.cells))) {
      best = { separator, agreement, cells };
    }
  }
  return best.separator;
};

const cellText = (value) => {
  const text = String(value ?? "");
  return /[",;\r\n]/.test(text) || /^\s|\s$/.test(text) ? `"${text.replaceAll(QUOTE, QUOTE + QUOTE)}"` : text;
};

const lineOf = (row, separator) => `${row.map(cellText).join(separator) || (row.length ? QUOTE + QUOTE : "")}\r\n`;

/** Returns rows as text, separated by commas or semicolons; the mark at the start tells spreadsheets it is UTF-8. */
export const csvText = (rows, separator = ",") =>
  `\ufeff${rows.map((row) => lineOf(row, separator)).join("")}`;

const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;
const FORMULA = /^[\t\r]|^[\s\p{C}]*[=+\-@＝＋－＠]/u; // spreadsheets skip spaces, and accept full-width signs

/** Returns a cell with an apostrophe in front if a spreadsheet would take it for a formula; numbers are unchanged. */
export const harmless = (value) => {
  const isFormula = typeof value === "string" && FORMULA.test(value) && !NUMBER.test(value);
  return isFormula ? `'${value}` : value;
};
