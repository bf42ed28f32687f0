// Tables as text, by RFC 4180: cells in quotes may have separators, line breaks and doubled quotes in them.
//
// A line with nothing in it is no row. A row of one empty cell is written `""`, as Python does, so that the rows of a
// table with one column are as many as its documents.

const QUOTE = '"';
export const SEPARATORS = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars" };

/** The end of a cell in quotes that begins at `start`, and what is in it; `end` is -1 if it is never closed. */
const quoted = (text, start) => {
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

/** Rows of cells, at most `most` of them, and the line of a quote that is never closed, if there is one. */
export const parseCsv = (content, separator = ",", most = Infinity) => {
  const text = content.startsWith("\ufeff") ? content.slice(1) : content;
  const plain = new RegExp(`[^${separator === "|" ? "\\|" : separator}\\r\\n]*`, "y");
  const rows = [];
  let row = [], isBlank = true, at = 0, unclosed = null;
  const endRow = () => {
    if (!isBlank) rows.push(row);
    row = [];
    isBlank = true;
  };
  while (at < text.length && rows.length < most) {
    let value = "";
    if (text[at] === QUOTE) {
      isBlank = false;
      const found = quoted(text, at);
      if (found.end < 0) unclosed = text.slice(0, at).split(/\r\n|\r|\n/).length;
      value = found.value;
      at = found.end < 0 ? text.length : found.end;
    }
    plain.lastIndex = at;
    const rest = plain.exec(text)[0]; // what follows a closing quote, against the rule, is kept
    row.push(value + rest);
    at += rest.length;
    if (rest !== "" || text[at] === separator) isBlank = false;
    if (text[at] === separator) {
      at += 1;
      if (at === text.length) row.push("");
      continue;
    }
    if (text[at] === "\r" && text[at + 1] === "\n") at += 1;
    at += 1;
    endRow();
  }
  if (row.length) endRow();
  return { rows, unclosed };
};

/** The separator by which the first rows have the most alike numbers of cells; a comma if none divides them. */
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

/** Rows as text, with commas or semicolons; the mark at the beginning tells spreadsheets that it is UTF-8. */
export const csvText = (rows, separator = ",") =>
  `\ufeff${rows.map((row) => lineOf(row, separator)).join("")}`;

const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;
const FORMULA = /^[\t\r]|^[\s\p{C}]*[=+\-@＝＋－＠]/u; // spreadsheets skip blanks, and know the wide signs of East Asia

/** A cell that a spreadsheet would take for a formula, with an apostrophe before it; numbers are left as they are. */
export const harmless = (value) => {
  const isFormula = typeof value === "string" && FORMULA.test(value) && !NUMBER.test(value);
  return isFormula ? `'${value}` : value;
};
