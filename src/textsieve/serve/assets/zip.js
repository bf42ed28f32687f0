// Read the files of a zip archive, such as an Excel workbook. The browser unpacks them.

const ENTRY = 0x02014b50, END = 0x06054b50; // how the directory's entries, and the archive's end, begin
const END_BYTES = 22, ENTRY_BYTES = 46, HEADER_BYTES = 30, MAX_COMMENT = 0xffff;
const STORED = 0, DEFLATED = 8, IS_ENCRYPTED = 1;

/** Thrown for an archive that can't be read, or is larger than allowed when it is unpacked. */
export class ZipError extends Error {}

/** Returns the bytes of a compressed file; throws `ZipError` if they are more than `maxBytes`. */
const inflated = async (bytes, maxBytes) => {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const parts = [];
  let nBytes = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read().catch(() => { throw new ZipError("it is damaged"); });
    if (done) return new Blob(parts).arrayBuffer();
    nBytes += value.length;
    if (nBytes > maxBytes) {
      await reader.cancel();
      throw new ZipError("it is too large when it is unpacked");
    }
    parts.push(value);
  }
};

const findEnd = (view) => {
  const first = Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT);
  for (let place = view.byteLength - END_BYTES; place >= first; place -= 1) {
    if (view.getUint32(place, true) === END) return place;
  }
  throw new ZipError("it is damaged");
};

// Numbers are read at their offsets in the three structures of the format: the end of the archive (where the directory
// is, and how many entries it has), the entries of the directory, and the header before each file.

/** Returns the entries of the archive's directory by the names of the files. */
const entriesOf = (view) => {
  const end = findEnd(view), nEntries = view.getUint16(end + 10, true), entries = new Map();
  let place = view.getUint32(end + 16, true);
  for (let number = 0; number < nEntries; number += 1) {
    if (view.getUint32(place, true) !== ENTRY) throw new ZipError("it is damaged");
    const nBytesOfName = view.getUint16(place + 28, true), nOthers = view.getUint16(place + 30, true);
    const start = view.byteOffset + place + ENTRY_BYTES;
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, start, nBytesOfName));
    entries.set(name.toLowerCase(), {
      flags: view.getUint16(place + 8, true),
      method: view.getUint16(place + 10, true),
      nBytes: view.getUint32(place + 20, true),
      header: view.getUint32(place + 42, true),
    });
    place += ENTRY_BYTES + nBytesOfName + nOthers + view.getUint16(place + 32, true);
  }
  return entries;
};

/** Returns a function from the name of a file in an archive, in any case, to its text, or null if there is none.
 *
 * Each text may have `maxBytes` bytes. Damage that only reading shows is a `ZipError`, too.
 */
export const openZip = (bytes, maxBytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const guarded = (read) => {
    try {
      return read();
    } catch (reason) {
      throw reason instanceof RangeError ? new ZipError("it is damaged") : reason;
    }
  };
  const entries = guarded(() => entriesOf(view));
  return async (name) => {
    const entry = entries.get(name.toLowerCase());
    if (entry === undefined) return null;
    const { flags, method, nBytes, header } = entry;
    if (flags & IS_ENCRYPTED) throw new ZipError("it is encrypted");
    if (![STORED, DEFLATED].includes(method)) throw new ZipError("it is packed in a way that browsers can’t read");
    if (method === STORED && nBytes > maxBytes) throw new ZipError("it is too large when it is unpacked");
    const start = guarded(() =>
      header + HEADER_BYTES + view.getUint16(header + 26, true) + view.getUint16(header + 28, true));
    const packed = bytes.subarray(start, start + nBytes);
    if (packed.length < nBytes) throw new ZipError("it is damaged");
    return new TextDecoder().decode(method === STORED ? packed : await inflated(packed, maxBytes));
  };
};
