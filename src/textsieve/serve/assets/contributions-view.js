// The sum that a score is: every term with what it adds, what the class begins with, and the score.

import { counted, labelText, make, signed, splitBar, written } from "./dom.js";
import { largestOf, strengthOf } from "./spans.js";

const FIRST = 20; // terms that are shown at once

const row = ({ term, count, weight, contribution }, largest) => make("tr", {},
  make("th", { scope: "row", class: "text" }, term),
  make("td", { class: "number" }, written(count)),
  make("td", { class: "number" }, written(weight, 3)),
  make("td", { class: "number" }, signed(contribution)),
  make("td", { class: "bars" }, splitBar(strengthOf(contribution, largest))));

/** A row that is about no term of its own. */
const otherRow = (title, number, kind) => make("tr", { class: kind },
  make("th", { scope: "row", class: "text", colspan: "3" }, title),
  make("td", { class: "number" }, signed(number)),
  make("td", { class: "bars" }));

/** The table of an explanation, and a button for the rest of it. */
export const contributionsOf = ({ label, contributions, intercept, score }) => {
  const largest = largestOf(contributions);
  const body = make("tbody", {}, contributions.slice(0, FIRST).map((each) => row(each, largest)));
  const heads = [["Term", "text"], ["Count", "number"], ["Weight", "number"], ["Adds", "number"]];
  const head = heads.map(([title, kind]) => make("th", { scope: "col", class: kind }, title));
  const table = make("table", { class: "contributions" },
    make("caption", {}, `What the score of ${labelText(label)} is the sum of`),
    make("thead", {}, make("tr", {}, head, make("td", { class: "bars" }))),
    body,
    make("tfoot", {},
      otherRow("Without any term (intercept)", intercept, "intercept"),
      otherRow("Sum: the score", score, "sum")));
  const rest = contributions.length - FIRST;
  const ofRest = contributions.slice(FIRST).reduce((sum, each) => sum + each.contribution, 0);
  const more = make("button", { type: "button", on: { click: () => {
    body.replaceChildren(...contributions.map((each) => row(each, largest)));
    more.remove();
  } } }, `Show all ${written(contributions.length)} terms`);
  if (rest > 0) body.append(otherRow(counted(rest, "other term"), ofRest, "rest"));
  return [make("div", { class: "scroll" }, table), rest > 0 ? more : null].filter(Boolean);
};
