// Read a file that the reader chose or dropped, and download a file.

import { byReader } from "./command-line.js";
import { sheetsOf } from "./xlsx.js";
import { ZipError } from "./zip.js";

const MAX_BYTES = 256 * 1024 * 1024; // strings in browsers can't be much longer
const MARKS = [["utf-16le", [0xff, 0xfe]], ["utf-16be", [0xfe, 0xff]]];
const ZIP_MARK = [0x50, 0x4b, 0x03, 0x04], OLE_MARK = [0xd0, 0xcf, 0x11, 0xe0];
const IS_WORKBOOK = /\.(xlsx|xlsm)$/i;
const SAVE_AGAIN = "Save it as .xlsx, CSV, JSON or plain text.";

const decode = (bytes) => {
  const encoding = MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0];
  if (encoding) return new TextDecoder(encoding).decode(bytes);
  if (bytes.subarray(0, 10_000).includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
};

const bytesOf = async (file) => {
  const advice = byReader("Use textsieve predict instead.", "Split it into smaller files.");
  const tooLarge = `${file.name} is larger than 256 MB, the limit of this page. ${advice}`;
  if (file.size > MAX_BYTES) throw new Error(tooLarge);
  return new Uint8Array(await file.arrayBuffer());
};

/** Returns the content of a text file in UTF-8, UTF-16 with a byte order mark, or else Windows-1252. */
export const textOf = async (file) => {
  const text = decode(await bytesOf(file));
  if (text !== null) return text;
  const advice = IS_WORKBOOK.test(file.name) ? "Open it in the tab File." : "Copy its text, and paste it here.";
  throw new Error(`${file.name} is not a text file. ${advice}`);
};

/** Returns a function that reads the same, but whose errors name the file. */
const namingFile = (file, read) => async () => {
  try {
    return await read();
  } catch (reason) {
    if (!(reason instanceof ZipError)) throw reason;
    throw new Error(`${file.name} can’t be read: ${reason.message}. ${SAVE_AGAIN}`);
  }
};

/** Returns the parts of a file with documents: `{name, read}`.
 *
 * An Excel workbook has a part for each sheet, whose `read()` promises rows of cells. Any other file has one part
 * without a name, whose `read()` promises the text of the file.
 */
export const partsOf = async (file) => {
  const bytes = await bytesOf(file), startsWith = (mark) => mark.every((byte, index) => bytes[index] === byte);
  if (startsWith(ZIP_MARK)) {
    const sheets = await namingFile(file, () => sheetsOf(bytes))();
    return sheets.map(({ name, read }) => ({ name, read: namingFile(file, read) }));
  }
  const text = decode(bytes);
  if (text !== null) return [{ name: null, read: () => Promise.resolve(text) }];
  const isOld = startsWith(OLE_MARK);
  const what = isOld ? "an old Excel file, or protected by a password" : "neither text nor an Excel file";
  throw new Error(`${file.name} is ${what}. ${SAVE_AGAIN}`);
};

/** Calls `onFile` with each file that is dropped on an element or chosen with its input. */
export const takeFiles = (dropZone, input, onFile) => {
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  const markDropZone = (isOver) => dropZone.classList.toggle("is-over", isOver);
  dropZone.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    markDropZone(true);
  });
  dropZone.addEventListener("dragleave", (event) => {
    if (!dropZone.contains(event.relatedTarget)) markDropZone(false);
  });
  dropZone.addEventListener("drop", (event) => {
    markDropZone(false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer.files.length) onFile(event.dataTransfer.files[0]);
  });
  input.addEventListener("change", () => {
    const [file] = input.files;
    input.value = ""; // so that the same file can be chosen again
    if (file) onFile(file);
  });
};

/** Downloads a text as a file. */
export const download = (name, text, type) => {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
};
