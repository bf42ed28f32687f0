// Elements and words for data. What came from a server or a file is only ever set as text: nothing here makes markup.

const NOTHING = "–";

/** An element; `vars` are custom properties, `on` listeners, `is` properties, all else attributes. */
export const make = (tag, about = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(about)) {
    if (name === "class") element.className = value;
    else if (name === "is") Object.assign(element, value);
    else if (name === "vars") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else if (name === "on") for (const [kind, each] of Object.entries(value)) element.addEventListener(kind, each);
    else element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((each) => each !== null && each !== undefined));
  return element;
};

export const byId = (id) => document.getElementById(id);
export const show = (element, isShown) => { element.hidden = !isShown; };

/** Tells those who hear the page what is new on it; what appears together with its words is not read out by itself. */
export const speak = (words) => { byId("spoken").textContent = words; };

/** A number for a reader; a true minus, and no "-0.000". */
export const written = (number, digits = 0) => {
  if (number === null || number === undefined || Number.isNaN(number)) return NOTHING;
  if (!Number.isFinite(number)) return number < 0 ? "−∞" : "∞";
  const text = Math.abs(number).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return number < 0 && /[1-9]/.test(text) ? `−${text}` : text;
};

export const signed = (number, digits = 3) => {
  const text = written(number, digits);
  return number > 0 && /[1-9]/.test(text) ? `+${text}` : text;
};

export const isNumber = (value) => typeof value === "number";
export const percent = (share, digits = 1) => (isNumber(share) ? `${written(100 * share, digits)}%` : NOTHING);
export const counted = (number, one, more = `${one}s`) => `${written(number)} ${number === 1 ? one : more}`;
export const day = (time) => {
  const found = new Date(time);
  if (!time || Number.isNaN(found.getTime())) return "at an unknown time";
  const date = { day: "numeric", month: "long", year: "numeric" };
  return found.toLocaleString("en-GB", { ...date, hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
};

/** A class as it is read; in parts, where a line may end after a dot; and as a key: 1, "1" and true are three. */
export const labelText = (label) => (label === "" ? "(empty)" : String(label));
export const labelParts = (label) =>
  labelText(label).split(/(?<=[.\/_:-])/).flatMap((part, at) => (at ? [make("wbr"), part] : [part]));
export const labelKey = (label) => JSON.stringify(label);

/** The beginning of a text, in quotation marks, by which a reader knows it again. */
export const beginningOf = (text, most = 60) => {
  const signs = [...text.slice(0, 4 * most).trim().replace(/\s+/g, " ")];
  return signs.length > most ? `“${signs.slice(0, most).join("").trimEnd()} …”` : `“${signs.join("")}”`;
};

/** Characters as the server counts them: a pair of UTF-16 units is one. */
export const lengthOf = (text) => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

/** Calls once nothing was asked for `pause` milliseconds; `cancel` forgets what was asked. */
export const afterPause = (call, pause) => {
  let timer = 0;
  const later = (...about) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...about), pause);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
};

const asShare = (number) => String(Math.min(1, Math.max(0, number)));

/** A bar from the left, of a share of its room; with a mark at another share, if there is one. */
export const bar = (share, { mark = null, kind = "" } = {}) =>
  make("span", { class: `bar ${kind}`, "aria-hidden": "true", vars: { "--share": asShare(share) } },
    make("span", { class: "fill" }),
    mark === null ? null : make("span", { class: "mark", vars: { "--at": asShare(mark) } }));

/** A bar from the middle: to the right for what speaks for something, to the left against it. */
export const splitBar = (share) => {
  const about = { class: `split ${share < 0 ? "against" : "for"}`, "aria-hidden": "true" };
  return make("span", { ...about, vars: { "--share": asShare(Math.abs(share)) } }, make("span", { class: "fill" }));
};
