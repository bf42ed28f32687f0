// Terms as people see them, by the same rules as `display_term` in textsieve/text/analysis.py.
//
// The server sends terms as they are stored. N-grams of characters can begin or end with spaces, and terms can be
// symbols or white space. Here they get marks, quotes and escape sequences.

const SPACE_MARK = "\u2581", INNER_MARK = "\u2026";
const NAMED = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
let analyzer = null;

/** Sets the analyzer of the model whose terms are shown. */
export const setAnalyzer = (name) => { analyzer = name; };

const escaped = (character) => {
  const code = character.codePointAt(0).toString(16);
  return NAMED[character] ?? (code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`);
};
const withEscapes = (text) => text.replace(/(?! )[\p{Cc}\p{Z}]/gu, escaped);
const withSpaceMarks = (ngram) => ngram.replaceAll(" ", SPACE_MARK);
const withMarks = (ngram) =>
  (ngram.startsWith(" ") ? "" : INNER_MARK) + withSpaceMarks(ngram) + (ngram.endsWith(" ") ? "" : INNER_MARK);
const withoutMarks = (term) => term.replace(/^\u2026/, "").replace(/\u2026$/, "").replaceAll(SPACE_MARK, " ");
const isMarked = (term) => {
  const ngram = withoutMarks(term);
  return /^[\u2581\u2026][^ ]*$/.test(term) && ngram !== "" && withMarks(ngram) === term;
};

const PARTS_NOTE = "Terms with ▁ or … are pieces of words (n-grams of characters): ▁ is the space before or after a "
  + "word, and at … the word may go on.";
const SPACES_NOTE = "▁ is a space in an n-gram of characters.";
const QUOTED_NOTE = "Quotation marks show where a term begins and ends, and are no part of it.";
const ESCAPED_NOTE = "A backslash begins the code of a character that can’t be seen, such as \\n for a line break.";
const IS_PART = /^[\u2581\u2026]|[\u2581\u2026]$/, IS_ESCAPED = /\\([tnr]|x[0-9a-f]{2}|u[0-9a-f]{4})/;

/** Returns what the signs in some terms mean; the terms are those that `termText` returned. "" if there are none. */
export const signsNote = (terms) => {
  const isPart = (term) => (analyzer === "char" ? term.includes(SPACE_MARK) : IS_PART.test(term));
  const notes = [
    [isPart, analyzer === "char" ? SPACES_NOTE : PARTS_NOTE],
    [(term) => /^“.*”$/su.test(term), QUOTED_NOTE],
    [(term) => IS_ESCAPED.test(term), ESCAPED_NOTE],
  ];
  return notes.filter(([hasSign]) => terms.some(hasSign)).map(([, note]) => note).join(" ");
};

/** Returns a term as text for people. */
export const termText = (term) => {
  if (analyzer === "char_wb" && term) return withEscapes(withMarks(term));
  if (analyzer !== "char" && isMarked(term)) return withEscapes(term);
  const text = withEscapes(analyzer === "char" ? withSpaceMarks(term) : term);
  return !/[\p{L}\p{N}]/u.test(term) || /^ | $|,/.test(text) ? `“${text}”` : text;
};
