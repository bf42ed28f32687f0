// Build elements and format values. Data from the server or a file is always inserted as text, never as markup.

const MISSING = "–";

/** Returns a new element; `vars` are CSS variables, `on` listeners, `is` properties, and all others attributes. */
export const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.className = value;
    else if (name === "is") Object.assign(element, value);
    else if (name === "vars") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else if (name === "on") for (const [kind, call] of Object.entries(value)) element.addEventListener(kind, call);
    else element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
};

export const byId = (id) => document.getElementById(id);
export const show = (element, isShown) => { element.hidden = !isShown; };

/** Returns a copy of an element in which all ids, and the references to them, begin with a prefix. */
export const copyOf = (element, prefix) => {
  const copy = element.cloneNode(true);
  for (const part of [copy, ...copy.querySelectorAll("*")]) {
    for (const name of ["id", "aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
      if (part.hasAttribute(name)) part.setAttribute(name, prefix + part.getAttribute(name));
    }
  }
  return copy;
};

/** Lets screen readers announce a text; they don't announce elements that appear together with their text. */
export const announce = (text) => { byId("announcement").textContent = text; };

/** Returns a number as text, with a typographic minus, and never "-0.000". */
export const formatNumber = (number, digits = 0) => {
  if (number === null || number === undefined || Number.isNaN(number)) return MISSING;
  if (!Number.isFinite(number)) return number < 0 ? "−∞" : "∞";
  const text = Math.abs(number).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return number < 0 && /[1-9]/.test(text) ? `−${text}` : text;
};

export const formatSigned = (number, digits = 3) => {
  const text = formatNumber(number, digits);
  return number > 0 && /[1-9]/.test(text) ? `+${text}` : text;
};

export const isNumber = (value) => typeof value === "number";
export const formatPercent = (share, digits = 1) =>
  (isNumber(share) ? `${formatNumber(100 * share, digits)}%` : MISSING);
export const formatCount = (number, singular, plural = `${singular}s`) =>
  `${formatNumber(number)} ${number === 1 ? singular : plural}`;
export const formatTime = (time) => {
  const moment = new Date(time);
  if (!time || Number.isNaN(moment.getTime())) return "unknown";
  const date = { day: "numeric", month: "long", year: "numeric" };
  return moment.toLocaleString("en-GB", { ...date, hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
};

/** Return a label as text; as parts with possible line breaks after punctuation; as a key, different for 1 and "1". */
export const labelText = (label) => (label === "" ? "(empty)" : String(label));
export const labelParts = (label) =>
  labelText(label).split(/(?<=[.\/_:-])/).flatMap((part, index) => (index ? [make("wbr"), part] : [part]));
export const labelKey = (label) => JSON.stringify(label);

/** Returns the beginning of a text in quotation marks. */
export const beginningOf = (text, maxLength = 60) => {
  const letters = [...text.slice(0, 4 * maxLength).trim().replace(/\s+/g, " ")];
  const beginning = letters.slice(0, maxLength).join("");
  if (letters.length <= maxLength) return `“${beginning}”`;
  // It ends after a word, unless that would leave less than half of it.
  const end = letters[maxLength] === " " ? maxLength : letters.slice(0, maxLength).lastIndexOf(" ");
  return `“${end > maxLength / 2 ? letters.slice(0, end).join("") : beginning.trimEnd()} …”`;
};

/** Returns whether a text has only white space, as Python defines it; the server rejects corrections of such texts. */
export const isBlank = (text) => /^[\s\x1c-\x1f\x85]*$/.test(text);

/** Returns the number of characters as the server counts them: a pair of UTF-16 units is one. */
export const lengthOf = (text) => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

/** Returns a function that makes a call after a pause in its own calls, in milliseconds; `cancel` drops the call. */
export const afterPause = (call, pause) => {
  let timer = 0;
  const later = (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...args), pause);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
};

const asFraction = (number) => String(Math.min(1, Math.max(0, number)));

/** Returns a bar from the left that fills a fraction of its width, with a mark at another fraction if given. */
export const bar = (share, { mark = null, kind = "" } = {}) =>
  make("span", { class: `bar ${kind}`, "aria-hidden": "true", vars: { "--share": asFraction(share) } },
    make("span", { class: "fill" }),
    mark === null ? null : make("span", { class: "mark", vars: { "--at": asFraction(mark) } }));

/** Returns a bar from the middle: to the right for positive fractions, to the left for negative ones. */
export const splitBar = (share) => {
  const attributes = { class: `split ${share < 0 ? "against" : "for"}`, "aria-hidden": "true" };
  const vars = { "--share": asFraction(Math.abs(share)) };
  return make("span", { ...attributes, vars }, make("span", { class: "fill" }));
};
