// The text with its terms marked: how strongly each spoke for or against a class, exactly, where the reader points.
//
// The marked text is one tab stop; arrow keys go from mark to mark. What a mark adds is shown beside it when a mouse is
// over it, a finger taps it or the keyboard reaches it, and goes away with Escape.

import { byId, counted, make, show, signed } from "./dom.js";
import { largestOf, piecesOf, strengthOf, unitsOf } from "./spans.js";
import { stepped } from "./tabs.js";
import { voicesOf } from "./voices.js";

const MOST_SPANS = 10_000; // with which a browser is still quick
const HOVER_DELAY = 200; // milliseconds in which a mouse may reach what is shown

const words = (sum) => (sum > 0 ? "for" : sum < 0 ? "against" : "neither");

const markOf = ({ text, sum, places }, largest) => make("mark", {
  class: words(sum),
  role: "button",
  tabindex: "-1",
  vars: { "--strength": Math.abs(strengthOf(sum, largest)).toFixed(4) },
  is: { places, sum },
}, text);

/** The marks and what is between them; from the span after the last one that is marked on, the text is plain. */
const contentOf = (text, spans, contributions) => {
  const largest = largestOf(contributions), isCut = spans.length > MOST_SPANS;
  const end = isCut ? unitsOf(text)(spans[MOST_SPANS][0]) : text.length;
  const pieces = piecesOf(text.slice(0, end), spans.slice(0, MOST_SPANS), contributions);
  const content = pieces.map((piece) => (piece.terms ? markOf(piece, largest) : piece.text));
  return { content: isCut ? [...content, text.slice(end)] : content, isCut };
};

const linesOf = (mark, contributions, isCompared) => {
  const own = mark.places().map((place) => contributions[place]);
  const times = (count) => (count > 1 ? ` (${counted(count, "time", "times")} in the text, all together)` : "");
  const line = (name, words, kind = "") =>
    make("span", { class: `tip-line ${kind}` }, make("b", {}, name), ` ${words}`);
  const beside = isCompared ? " beside other classes" : "";
  const lines = own.map(({ term, count, contribution }) =>
    line(term, `${signed(contribution)}${beside}${times(count)}`));
  return own.length > 1 ? [...lines, line("together", signed(mark.sum), "sum")] : lines;
};

export const useMarked = () => {
  const marked = byId("marked"), place = byId("marked-place"), tip = byId("tip");
  let contributions = [], isCompared = false, shownFor = null, timer = 0;

  const hide = () => {
    clearTimeout(timer);
    shownFor?.removeAttribute("aria-describedby");
    shownFor = null;
    show(tip, false);
  };
  const hideSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => { if (!marked.contains(document.activeElement)) hide(); }, HOVER_DELAY);
  };
  const tell = (mark) => {
    clearTimeout(timer);
    if (shownFor === mark) return;
    hide();
    shownFor = mark;
    tip.replaceChildren(...linesOf(mark, contributions, isCompared));
    mark.setAttribute("aria-describedby", "tip");
    show(tip, true);
    const around = place.getBoundingClientRect(), own = mark.getClientRects()[0] ?? mark.getBoundingClientRect();
    const left = Math.max(0, Math.min(own.left - around.left, around.width - tip.offsetWidth));
    tip.style.setProperty("--left", `${left}px`);
    tip.style.setProperty("--top", `${own.bottom - around.top + 4}px`);
  };
  const marks = () => [...marked.querySelectorAll("mark")];
  const reach = (mark) => {
    marked.querySelector("mark[tabindex='0']")?.setAttribute("tabindex", "-1");
    mark.setAttribute("tabindex", "0");
  };

  marked.addEventListener("pointerover", (event) => {
    const mark = event.target.closest("mark");
    if (mark) tell(mark);
    else hideSoon();
  });
  place.addEventListener("pointerleave", hideSoon);
  tip.addEventListener("pointerenter", () => clearTimeout(timer));
  marked.addEventListener("focusin", (event) => {
    const mark = event.target.closest("mark");
    if (!mark) return;
    reach(mark);
    tell(mark);
  });
  marked.addEventListener("focusout", hideSoon);
  marked.addEventListener("keydown", (event) => {
    const all = marks(), next = stepped(event, all.indexOf(event.target), all.length);
    if (next === null) return;
    event.preventDefault();
    all[next].focus();
  });
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  /** Shows a text and its explanation; tells whether some of it is left without marks. */
  return (text, explained) => {
    hide();
    contributions = voicesOf(explained);
    isCompared = explained.compared === true;
    const { content, isCut } = contentOf(text, explained.spans, contributions);
    marked.replaceChildren(...content);
    marked.querySelector("mark")?.setAttribute("tabindex", "0");
    return isCut;
  };
};
