// Read a file that the reader chose or dropped, and download a file.

const MAX_BYTES = 256 * 1024 * 1024; // strings in browsers can't be much longer
const MARKS = [["utf-16le", [0xff, 0xfe]], ["utf-16be", [0xfe, 0xff]]];

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

/** Returns the content of a text file in UTF-8, UTF-16 with a byte order mark, or else Windows-1252. */
export const textOf = async (file) => {
  const tooLarge = `${file.name} is larger than 256 MB, the limit of this page. Use textsieve predict instead.`;
  const noText = `${file.name} is not a text file. Save it as plain text, CSV or JSON.`;
  const spreadsheet = `${file.name} is a spreadsheet, and this page reads only text files. Save it as CSV in the program `
    + "that made it, or use textsieve predict, which reads .xlsx.";
  if (file.size > MAX_BYTES) throw new Error(tooLarge);
  const text = decode(new Uint8Array(await file.arrayBuffer()));
  if (text === null) throw new Error(/\.(xlsx?|xlsm|xlsb|ods)$/i.test(file.name) ? spreadsheet : noText);
  return text;
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
