// The text of a file that the reader chose or dropped.

const MOST = 256 * 1024 * 1024; // bytes; a browser's strings end soon after
const MARKS = [["utf-16le", [0xff, 0xfe]], ["utf-16be", [0xfe, 0xff]]];

const decoded = (bytes) => {
  const marked = MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  if (marked) return new TextDecoder(marked[0]).decode(bytes);
  if (bytes.subarray(0, 10_000).includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
};

/** What is in a text file, in UTF-8, in UTF-16 with its mark, or else as old Western files have it. */
export const textOf = async (file) => {
  const tooLarge = `${file.name} is too large to be read here: at most 256 MB. Use textsieve predict instead.`;
  const noText = `${file.name} is not a text file. Save it as plain text, CSV or JSON, and choose that.`;
  if (file.size > MOST) throw new Error(tooLarge);
  const text = decoded(new Uint8Array(await file.arrayBuffer()));
  if (text === null) throw new Error(noText);
  return text;
};

/** Hands a file dropped on an element, or chosen with its input, to `taken`. */
export const takeFiles = (place, input, taken) => {
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  const over = (isOver) => place.classList.toggle("is-over", isOver);
  place.addEventListener("dragover", (event) => { if (hasFiles(event)) { event.preventDefault(); over(true); } });
  place.addEventListener("dragleave", (event) => { if (!place.contains(event.relatedTarget)) over(false); });
  place.addEventListener("drop", (event) => {
    over(false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer.files.length) taken(event.dataTransfer.files[0]);
  });
  input.addEventListener("change", () => {
    const [file] = input.files;
    input.value = ""; // so that the same file can be chosen again
    if (file) taken(file);
  });
};

/** Gives the reader a file of its own making. */
export const download = (name, text, type) => {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
};
