// The table that adds up to a score: what each term adds, the intercept of the class, and the sum.

import { largestOf, strengthOf, strongestFirst } from "./contributions.js";
import { formatCount, formatNumber, formatSigned, labelText, make, splitBar } from "./dom.js";

const FIRST = 20; // number of terms that are shown at first
const WEIGHT = "Weight: how important the term is in this text. A term adds its weight times its coefficient, which "
  + "the model learned for the class.";
const NEGATIVE = "This model adds logarithms of probabilities, which are all below 0.";
const POSITIVE = "This model never adds numbers below 0.";
const COMPARED = "So colours and bars show how much more a term adds to this class than to all classes on average.";

const figure = (text) => make("td", { class: "number" }, text);

const row = ({ term, count, weight, adds, contribution }, largest, isCompared) => make("tr", {},
  make("th", { scope: "row", class: "text" }, term),
  figure(formatNumber(count)),
  figure(formatNumber(weight, 3)),
  figure(formatSigned(adds)),
  isCompared ? figure(formatSigned(contribution)) : null,
  make("td", { class: "bars" }, splitBar(strengthOf(contribution, largest))));

/** Returns a row that is not about a single term. */
const otherRow = (title, number, kind, isCompared) => make("tr", { class: kind },
  make("th", { scope: "row", class: "text", colspan: "3" }, title),
  figure(formatSigned(number)),
  isCompared ? make("td") : null,
  make("td", { class: "bars" }));

const headOf = (isCompared) => {
  const titles = ["Count", "Weight", "Adds", ...(isCompared ? ["Above average"] : [])];
  return make("thead", {}, make("tr", {},
    make("th", { scope: "col", class: "text" }, "Term"),
    titles.map((title) => make("th", { scope: "col", class: "number" }, title)),
    make("td", { class: "bars" })));
};

/** Returns the table of an explanation, and a button that shows all its terms. */
export const contributionTable = (explanation) => {
  const { label, intercept, score } = explanation, isCompared = explanation.compared === true;
  const terms = strongestFirst(explanation), largest = largestOf(terms), rest = terms.slice(FIRST);
  const rowsOf = (someTerms) => someTerms.map((term) => row(term, largest, isCompared));
  const body = make("tbody", {}, rowsOf(terms.slice(0, FIRST)));
  const table = make("table", { class: isCompared ? "contributions are-compared" : "contributions" },
    make("caption", {}, `Score of ${labelText(label)}`),
    headOf(isCompared),
    body,
    make("tfoot", {},
      otherRow("Intercept", intercept, "intercept", isCompared),
      otherRow("Score (sum)", score, "sum", isCompared)));
  const more = make("button", { type: "button", on: { click: () => {
    body.replaceChildren(...rowsOf(terms));
    more.remove();
  } } }, `Show all ${formatNumber(terms.length)} terms`);
  const restSum = rest.reduce((sum, { adds }) => sum + adds, 0);
  if (rest.length) body.append(otherRow(formatCount(rest.length, "other term"), restSum, "rest", isCompared));
  const sign = terms.some(({ adds }) => adds < 0) ? NEGATIVE : POSITIVE;
  const notes = terms.length ? [...(isCompared ? [`${sign} ${COMPARED}`] : []), WEIGHT] : [];
  const scroll = make("div", { class: "scroll" }, table);
  return [scroll, ...(rest.length ? [more] : []), ...notes.map((note) => make("p", { class: "note" }, note))];
};
