// Read the sheets of an Excel workbook (.xlsx) as rows of texts, by the rules of textsieve's command line.
//
// Numbers have up to 15 digits, as in Excel, and no ".0"; dates are written as 2024-05-31, and with a time as
// 2024-05-31 14:30:00; truth values as "true" and "false". Formulas count with the value that Excel has stored, and
// errors such as #N/A as empty cells. Blank rows are left out.

import { ZipError, openZip } from "./zip.js";

const MAX_BYTES = 128 * 1024 * 1024; // of an unpacked sheet; the browser needs several times as much for its elements
const LAST_COLUMN = 16_383; // of the largest sheet that Excel can have, from 0
const MAX_CELLS = 20_000_000; // of a sheet, with the empty ones before the last cell with content of each row
const DAY = 86_400_000; // milliseconds
const FIRST_DAY = Date.UTC(1899, 11, 30), FIRST_DAY_1904 = Date.UTC(1904, 0, 1);
const FALSE_LEAP_DAY = 60; // Excel counts 29 February 1900, which did not exist
const DURATION_FORMAT = 46;

const elements = (parent, name) => [...parent.getElementsByTagNameNS("*", name)];
/** Returns the first child of this name; for the many cells of a sheet, this is faster than a search. */
const childOf = (parent, name) => {
  let child = parent.firstElementChild;
  while (child && child.localName !== name) child = child.nextElementSibling;
  return child;
};
const parse = (text) => {
  const parsed = new DOMParser().parseFromString(text, "application/xml");
  if (parsed.getElementsByTagName("parsererror").length) throw new ZipError("it is damaged");
  return parsed;
};

// -- the parts of a workbook

const folderOf = (path) => path.slice(0, path.lastIndexOf("/") + 1);
/** Returns the path of a target that is relative to a folder of the archive, or to its root. */
const pathOf = (folder, target) => {
  try {
    return decodeURI(new URL(target, `file:///${folder}`).pathname.slice(1));
  } catch {
    throw new ZipError("it is damaged");
  }
};
const isInternal = (relation) => relation.getAttribute("TargetMode") !== "External";
/** Returns the relations of a part to others: `{id, kind, path}`; an odd `path` throws `ZipError` when it is used. */
const relationsOf = async (read, part) => {
  const folder = folderOf(part), text = await read(`${folder}_rels/${part.slice(folder.length)}.rels`);
  return text === null ? [] : elements(parse(text), "Relationship").filter(isInternal).map((relation) => ({
    id: relation.getAttribute("Id"),
    kind: relation.getAttribute("Type")?.split("/").pop(),
    get path() { return pathOf(folder, relation.getAttribute("Target") ?? ""); },
  }));
};
const relationId = (sheet) => [...sheet.attributes].find(({ localName }) => localName === "id")?.value;

// -- cells

const escapedCharacter = /_x([0-9a-f]{4})_/gi; // such as _x000D_ for a carriage return
const decode = (text) => text.replace(escapedCharacter, (_, code) => String.fromCharCode(parseInt(code, 16)));
/** Returns the text of a cell or of a shared string, without what is written above Japanese words. */
const richText = (element) => {
  const only = element.childElementCount === 1 ? element.firstElementChild : null;
  if (only?.localName === "t") return decode(only.textContent);
  const parts = elements(element, "t").filter((part) => part.parentNode.localName !== "rPh");
  return decode(parts.map((part) => part.textContent).join(""));
};

/** Returns "date", "duration" or "number" for each style of cells.
 *
 * The format of a style is a code in the workbook, such as "dd.mm.yyyy", or one of Excel's own, which are numbered.
 */
const kindsOf = (styles) => {
  const codes = new Map(elements(styles, "numFmt").map((format) =>
    [format.getAttribute("numFmtId"), format.getAttribute("formatCode") ?? ""]));
  const kindOf = (id) => {
    const code = codes.get(id), number = Number(id);
    if (code === undefined) {
      if (number === DURATION_FORMAT) return "duration";
      return (number >= 14 && number <= 22) || (number >= 27 && number <= 36) || number === 45 || number === 47
        ? "date" : "number";
    }
    const bare = code.replace(/"[^"]*"|\\.|_.|\*./g, "").split(";")[0]; // of numbers above 0
    if (/\[(h+|m+|s+)\]/i.test(bare)) return "duration";
    return /[dmyhs]/i.test(bare.replace(/\[[^\]]*\]|general/gi, "")) ? "date" : "number";
  };
  const [formats] = elements(styles, "cellXfs");
  return formats ? elements(formats, "xf").map((format) => kindOf(format.getAttribute("numFmtId") ?? "0")) : [];
};

const two = (number) => String(number).padStart(2, "0");
const numberText = (number) => {
  if (Number.isInteger(number) && Math.abs(number) < 1e15) return String(number || 0); // -0 is 0
  const [digits, exponent] = number.toExponential(14).split("e"); // 15 digits
  if (exponent >= -4 && exponent < 15) return String(Number(number.toPrecision(15)));
  const sign = exponent < 0 ? "-" : "+";
  return `${Number(digits)}e${sign}${two(Math.abs(exponent))}`;
};
const durationText = (days) => {
  const all = Math.round(days * 86_400), seconds = ((all % 60) + 60) % 60, minutes = (all - seconds) / 60;
  return `${Math.floor(minutes / 60)}:${two(((minutes % 60) + 60) % 60)}:${two(seconds)}`;
};
const dateText = (days, is1904) => {
  const moved = !is1904 && days < FALSE_LEAP_DAY && days >= 1 ? days + 1 : days;
  const milliseconds = Math.round((moved * DAY) / 1000) * 1000;
  const date = new Date((is1904 ? FIRST_DAY_1904 : FIRST_DAY) + milliseconds);
  if (Number.isNaN(date.valueOf())) return numberText(days);
  const [day, time] = date.toISOString().replace(".000Z", "").split("T");
  if (!is1904 && days >= 0 && days < 1) return time;
  return Number.isInteger(days) ? day : `${day} ${time}`;
};

/** Returns the text of a cell. */
const cellText = (cell, { strings, kinds, is1904 }) => {
  const type = cell.getAttribute("t") ?? "n";
  if (type === "inlineStr") return richText(cell);
  const value = childOf(cell, "v")?.textContent ?? "";
  if (value === "" || type === "e") return "";
  if (type === "s") return strings[Number(value)] ?? "";
  if (type === "str") return decode(value);
  if (type === "b") return value === "0" ? "false" : "true";
  if (type === "d") return value.replace("T", " ");
  const number = Number(value), kind = kinds[Number(cell.getAttribute("s") ?? 0)] ?? "number";
  if (Number.isNaN(number)) return value;
  if (kind === "duration") return durationText(number);
  return kind === "date" ? dateText(number, is1904) : numberText(number);
};

/** Returns the column of a cell, from 0: 27 for "AB12"; throws `ZipError` if Excel has no such column. */
const columnOf = (place) => {
  const letters = /^[a-z]+/i.exec(place)?.[0].toUpperCase() ?? "A";
  const column = [...letters].reduce((number, letter) => 26 * number + letter.charCodeAt(0) - 64, 0) - 1;
  if (column > LAST_COLUMN) throw new ZipError("it is damaged");
  return column;
};

/** Returns the rows of a sheet that are not blank, from the first column with content on.
 *
 * Throws `ZipError` if they need too many cells: a small file can have cells that are far from each other.
 */
const rowsOf = (sheet, workbook) => {
  const rows = [];
  let nCells = 0;
  for (const element of elements(sheet, "row")) {
    const row = [];
    let column = -1;
    for (let cell = element.firstElementChild; cell; cell = cell.nextElementSibling) {
      const place = cell.getAttribute("r"), text = cellText(cell, workbook);
      column = place === null ? column + 1 : columnOf(place);
      if (text === "") continue;
      while (row.length < column) row.push("");
      row[column] = text;
    }
    nCells += row.length;
    if (nCells > MAX_CELLS) throw new ZipError("it is too large when it is unpacked");
    if (row.length) rows.push(row);
  }
  const firstOf = (row) => row.findIndex((text) => text !== "");
  const first = rows.reduce((least, row) => Math.min(least, firstOf(row)), Infinity);
  return rows.map((row) => row.slice(first));
};

// -- the workbook

/** Returns the sheets of a workbook, the visible ones first: `{name, read}`, where `read()` promises its rows. */
export const sheetsOf = async (bytes) => {
  const read = openZip(bytes, MAX_BYTES);
  const part = (await relationsOf(read, "")).find(({ kind }) => kind === "officeDocument")?.path;
  const text = part === undefined ? null : await read(part);
  const workbook = text === null ? null : parse(text);
  if (workbook?.documentElement.localName !== "workbook") throw new ZipError("it is no Excel workbook");
  const relations = await relationsOf(read, part);
  const textOf = async (kind) => {
    const path = relations.find((relation) => relation.kind === kind)?.path;
    return path === undefined ? null : read(path);
  };
  const is1904 = /^(1|true)$/.test(elements(workbook, "workbookPr")[0]?.getAttribute("date1904") ?? "");
  const readShared = async () => {
    const strings = await textOf("sharedStrings"), styles = await textOf("styles");
    return {
      strings: strings === null ? [] : elements(parse(strings), "si").map(richText),
      kinds: styles === null ? [] : kindsOf(parse(styles)),
      is1904,
    };
  };
  let shared = null;
  const sheets = elements(workbook, "sheet").map((sheet) => {
    const relation = relations.find(({ id }) => id === relationId(sheet));
    const readRows = async () => {
      shared ??= readShared();
      const content = await read(relation.path);
      if (content === null) throw new ZipError("it is damaged");
      return rowsOf(parse(content), await shared);
    };
    const isHidden = (sheet.getAttribute("state") ?? "visible") !== "visible";
    return { name: sheet.getAttribute("name") ?? "", kind: relation?.kind, isHidden, read: readRows };
  }).filter(({ kind }) => kind === "worksheet");
  if (!sheets.length) throw new ZipError("it has no sheets with cells");
  return [...sheets.filter(({ isHidden }) => !isHidden), ...sheets.filter(({ isHidden }) => isHidden)];
};
