// The text with its terms marked by how strongly they speak for or against a class.
//
// Terms can overlap. A mark is a piece of the text that is covered by the same terms, and its colour shows their sum.
// The marked text is one tab stop; arrow keys go from mark to mark. A tooltip shows the exact numbers when the mouse is
// over a mark, a finger taps it, or the keyboard reaches it; Escape hides the tooltip.

import { byStrength, largestOf, shownContributions, strengthOf } from "./contributions.js";
import { byId, formatCount, formatNumber, formatSigned, make, show } from "./dom.js";
import { piecesOf, unitsOf } from "./spans.js";
import { nextIndex } from "./tabs.js";

const MAX_MARKS = 10_000; // more would make the browser slow
const MAX_LINES = 8; // terms in a tooltip
const HIDE_DELAY = 200; // milliseconds in which the mouse may reach the tooltip

const kindOf = (sum) => (sum > 0 ? "for" : sum < 0 ? "against" : "neither");

const markOf = ({ text, sum, terms }, largest, isJoined) => make("mark", {
  class: kindOf(sum),
  role: "button",
  tabindex: "-1",
  ...(isJoined ? { "data-joined": "" } : {}),
  vars: { "--strength": Math.abs(strengthOf(sum, largest)).toFixed(4) },
  is: { terms, sum },
}, text);

/** Returns the number of spans up to the start of the last mark; there may be many spans with the same start. */
const nFirstSpans = (spans) => {
  let nStarts = 0;
  const last = spans.findIndex(([start], index) => {
    if (!index || start !== spans[index - 1][0]) nStarts += 1;
    return nStarts > MAX_MARKS;
  });
  return last < 0 ? spans.length : last;
};

/** Returns the marks and the text between them; after `MAX_MARKS` marks, the text has none. */
const contentOf = (text, spans, contributions) => {
  const nSpans = nFirstSpans(spans);
  const end = nSpans < spans.length ? unitsOf(text)(spans[nSpans][0]) : text.length;
  const pieces = piecesOf(text.slice(0, end), spans.slice(0, nSpans), contributions);
  const marked = pieces.filter(({ count }) => count > 0);
  const nPieces = marked.length > MAX_MARKS ? pieces.indexOf(marked[MAX_MARKS]) : pieces.length;
  const first = pieces.slice(0, nPieces);
  const largest = first.reduce((most, { sum }) => Math.max(most, Math.abs(sum)), largestOf(contributions));
  const isMark = (index) => first[index]?.count > 0;
  const content = first.map((piece, index) =>
    (isMark(index) ? markOf(piece, largest, isMark(index - 1) || isMark(index + 1)) : piece.text));
  const rest = text.slice(first.reduce((length, piece) => length + piece.text.length, 0));
  return { content: [...content, rest], isTruncated: nSpans < spans.length || nPieces < pieces.length };
};

const linesOf = (mark, contributions, isCompared) => {
  const terms = mark.terms().map((index) => contributions[index]).sort(byStrength);
  const times = (count) => (count > 1 ? ` (sum of ${formatCount(count, "occurrence")})` : "");
  const line = (name, text, kind = "") =>
    make("span", { class: `tip-line ${kind}` }, make("b", {}, name), ` ${text}`);
  const average = isCompared ? " above average" : "";
  const lines = terms.slice(0, MAX_LINES).map(({ term, count, contribution }) =>
    line(term, `${formatSigned(contribution)}${average}${times(count)}`));
  const others = terms.slice(MAX_LINES), othersSum = others.reduce((sum, { contribution }) => sum + contribution, 0);
  return [
    ...lines,
    ...(others.length ? [line(`and ${formatNumber(others.length)} more`, `${formatSigned(othersSum)}${average}`)] : []),
    ...(terms.length > 1 ? [line("total", formatSigned(mark.sum), "sum")] : []),
  ];
};

/** Sets up the marked text; `prefix` is that of the ids of its elements. */
export const useMarked = (prefix = "") => {
  const [marked, place, tip] = ["marked", "marked-place", "tip"].map((id) => byId(prefix + id));
  let contributions = [], isCompared = false, describedMark = null, timer = 0;

  const hide = () => {
    clearTimeout(timer);
    describedMark?.removeAttribute("aria-describedby");
    describedMark = null;
    show(tip, false);
  };
  const hideSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => { if (!marked.contains(document.activeElement)) hide(); }, HIDE_DELAY);
  };
  const showTip = (mark) => {
    clearTimeout(timer);
    if (describedMark === mark) return;
    hide();
    describedMark = mark;
    tip.replaceChildren(...linesOf(mark, contributions, isCompared));
    mark.setAttribute("aria-describedby", tip.id);
    show(tip, true);
    const around = place.getBoundingClientRect(), first = mark.getClientRects()[0] ?? mark.getBoundingClientRect();
    const left = Math.max(0, Math.min(first.left - around.left, around.width - tip.offsetWidth));
    tip.style.setProperty("--left", `${left}px`);
    tip.style.setProperty("--top", `${first.bottom - around.top + 4}px`);
  };
  const marks = () => [...marked.querySelectorAll("mark")];
  const setTabStop = (mark) => {
    marked.querySelector("mark[tabindex='0']")?.setAttribute("tabindex", "-1");
    mark.setAttribute("tabindex", "0");
  };

  marked.addEventListener("pointerover", (event) => {
    const mark = event.target.closest("mark");
    if (mark) showTip(mark);
    else hideSoon();
  });
  place.addEventListener("pointerleave", hideSoon);
  tip.addEventListener("pointerenter", () => clearTimeout(timer));
  marked.addEventListener("focusin", (event) => {
    const mark = event.target.closest("mark");
    if (!mark) return;
    setTabStop(mark);
    showTip(mark);
  });
  marked.addEventListener("focusout", hideSoon);
  marked.addEventListener("keydown", (event) => {
    const all = marks(), next = nextIndex(event, all.indexOf(event.target), all.length);
    if (next === null) return;
    event.preventDefault();
    all[next].focus();
  });
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  /** Shows a text and its explanation; returns whether a part of it has no marks because it is too long. */
  return (text, explanation) => {
    hide();
    contributions = shownContributions(explanation);
    isCompared = explanation.compared === true;
    const { content, isTruncated } = contentOf(text, explanation.spans, contributions);
    marked.replaceChildren(...content);
    marked.querySelector("mark")?.setAttribute("tabindex", "0");
    const nOccurrences = contributions.reduce((sum, { count }) => sum + count, 0);
    return isTruncated || explanation.spans.length < nOccurrences; // the server sends a limited number of spans
  };
};
