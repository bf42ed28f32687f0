// The sum that a score is: every term with what it adds, what the class begins with, and the score.

import { counted, labelText, make, signed, splitBar, written } from "./dom.js";
import { largestOf, strengthOf } from "./spans.js";
import { loudestFirst } from "./voices.js";

const FIRST = 20; // terms that are shown at once
const WEIGHT = "Weight: how much the term counts in this text. What it adds is its weight times what the model has "
  + "learned of it for the class.";
const BELOW = "This model’s numbers are logarithms of probabilities, which are all below 0.";
const ABOVE = "None of this model’s numbers is below 0.";
const COUNTS = "What counts is how much more a term adds to this class than to the others on average.";

const figure = (words) => make("td", { class: "number" }, words);

const row = ({ term, count, weight, adds, contribution }, largest, isCompared) => make("tr", {},
  make("th", { scope: "row", class: "text" }, term),
  figure(written(count)),
  figure(written(weight, 3)),
  figure(signed(adds)),
  isCompared ? figure(signed(contribution)) : null,
  make("td", { class: "bars" }, splitBar(strengthOf(contribution, largest))));

/** A row that is about no term of its own. */
const otherRow = (title, number, kind, isCompared) => make("tr", { class: kind },
  make("th", { scope: "row", class: "text", colspan: "3" }, title),
  figure(signed(number)),
  isCompared ? make("td") : null,
  make("td", { class: "bars" }));

const headOf = (isCompared) => {
  const titles = ["Count", "Weight", "Adds", ...(isCompared ? ["Beside other classes"] : [])];
  return make("thead", {}, make("tr", {},
    make("th", { scope: "col", class: "text" }, "Term"),
    titles.map((title) => make("th", { scope: "col", class: "number" }, title)),
    make("td", { class: "bars" })));
};

/** The table of an explanation, and a button for the rest of it. */
export const contributionsOf = (explained) => {
  const { label, intercept, score } = explained, isCompared = explained.compared === true;
  const voices = loudestFirst(explained), largest = largestOf(voices), rest = voices.slice(FIRST);
  const rows = (some) => some.map((each) => row(each, largest, isCompared));
  const body = make("tbody", {}, rows(voices.slice(0, FIRST)));
  const table = make("table", { class: isCompared ? "contributions are-compared" : "contributions" },
    make("caption", {}, `What the score of ${labelText(label)} is the sum of`),
    headOf(isCompared),
    body,
    make("tfoot", {},
      otherRow("Without any term (intercept)", intercept, "intercept", isCompared),
      otherRow("Sum: the score", score, "sum", isCompared)));
  const more = make("button", { type: "button", on: { click: () => {
    body.replaceChildren(...rows(voices));
    more.remove();
  } } }, `Show all ${written(voices.length)} terms`);
  const ofRest = rest.reduce((sum, { adds }) => sum + adds, 0);
  if (rest.length) body.append(otherRow(counted(rest.length, "other term"), ofRest, "rest", isCompared));
  const signs = voices.some(({ adds }) => adds < 0) ? BELOW : ABOVE;
  const notes = voices.length ? [...(isCompared ? [`${signs} ${COUNTS}`] : []), WEIGHT] : [];
  const scroll = make("div", { class: "scroll" }, table);
  return [scroll, ...(rest.length ? [more] : []), ...notes.map((words) => make("p", { class: "note" }, words))];
};
