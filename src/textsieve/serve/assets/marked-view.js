// The text with its terms marked by how strongly they speak for or against a class.
//
// The marked text is one tab stop; arrow keys go from mark to mark. A tooltip shows the exact numbers when the mouse is
// over a mark, a finger taps it, or the keyboard reaches it; Escape hides the tooltip.

import { largestOf, shownContributions, strengthOf } from "./contributions.js";
import { byId, formatCount, formatSigned, make, show } from "./dom.js";
import { piecesOf, unitsOf } from "./spans.js";
import { nextIndex } from "./tabs.js";

const MAX_SPANS = 10_000; // more marks would make the browser slow
const HIDE_DELAY = 200; // milliseconds in which the mouse may reach the tooltip

const kindOf = (sum) => (sum > 0 ? "for" : sum < 0 ? "against" : "neither");

const markOf = ({ text, sum, terms }, largest) => make("mark", {
  class: kindOf(sum),
  role: "button",
  tabindex: "-1",
  vars: { "--strength": Math.abs(strengthOf(sum, largest)).toFixed(4) },
  is: { terms, sum },
}, text);

/** Returns the marks and the text between them; after `MAX_SPANS` spans, the text has no marks. */
const contentOf = (text, spans, contributions) => {
  const largest = largestOf(contributions), isTruncated = spans.length > MAX_SPANS;
  const end = isTruncated ? unitsOf(text)(spans[MAX_SPANS][0]) : text.length;
  const pieces = piecesOf(text.slice(0, end), spans.slice(0, MAX_SPANS), contributions);
  const content = pieces.map((piece) => (piece.count ? markOf(piece, largest) : piece.text));
  return { content: isTruncated ? [...content, text.slice(end)] : content, isTruncated };
};

const linesOf = (mark, contributions, isCompared) => {
  const terms = mark.terms().map((index) => contributions[index]);
  const times = (count) => (count > 1 ? ` (sum of ${formatCount(count, "occurrence")})` : "");
  const line = (name, text, kind = "") =>
    make("span", { class: `tip-line ${kind}` }, make("b", {}, name), ` ${text}`);
  const average = isCompared ? " above average" : "";
  const lines = terms.map(({ term, count, contribution }) =>
    line(term, `${formatSigned(contribution)}${average}${times(count)}`));
  return terms.length > 1 ? [...lines, line("total", formatSigned(mark.sum), "sum")] : lines;
};

export const useMarked = () => {
  const marked = byId("marked"), place = byId("marked-place"), tip = byId("tip");
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
    mark.setAttribute("aria-describedby", "tip");
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
    return isTruncated;
  };
};
