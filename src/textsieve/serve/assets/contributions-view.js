// The sum that a score is: every term with what it adds, what the class begins with, and the score.

import { labelText, make, signed, splitBar, written } from "./dom.js";
import { largestOf, strengthOf } from "./spans.js";

const FIRST = 20; // terms that are shown at once

const row = ({ term, count, weight, contribution }, largest) => make("tr", {},
  make("th", { scope: "row", class: "text" }, term),
  make("td", { class: "number" }, written(count)),
  make("td", { class: "number" }, written(weight, 3)),
  make("td", { class: "number" }, signed(contribution)),
  make("td", { class: "bars" }, splitBar(strengthOf(contribution, largest))));

const lastRow = (title, number, kind) => make("tr", { class: kind },
  make("th", { scope: "row", class: "text", colspan: "3" }, title),
  make("td", { class: "number" }, signed(number)),
  make("td", { class: "bars" }));

/** The table of an explanation, and a button for the rest of it. */
export const contributionsOf = ({ label, contributions, intercept, score }) => {
  const largest = largestOf(contributions);
  const body = make("tbody", {}, contributions.slice(0, FIRST).map((each) => row(each, largest)));
  const heads = [["Term", "text"], ["Count", "number"], ["Weight", "number"], ["Adds", "number"]];
  const table = make("table", { class: "contributions" },
    make("caption", {}, `What the score of ${labelText(label)} is the sum of`),
    make("thead", {}, make("tr", {}, heads.map(([title, kind]) => make("th", { scope: "col", class: kind }, title)), make("th", { class: "bars" }, make("span", { class: "hidden" }, "Bar")))),
    body,
    make("tfoot", {}, lastRow("Without any term (intercept)", intercept, "intercept"), lastRow("Sum: the score", score, "sum")));
  const rest = contributions.length - FIRST;
  const hidden = () => make("tr", { class: "rest" },
    make("th", { scope: "row", class: "text", colspan: "3" }, `${written(rest)} other ${rest === 1 ? "term" : "terms"}`),
    make("td", { class: "number" }, signed(contributions.slice(FIRST).reduce((sum, each) => sum + each.contribution, 0))),
    make("td", { class: "bars" }));
  const more = make("button", { type: "button", on: { click: () => {
    body.replaceChildren(...contributions.map((each) => row(each, largest)));
    more.remove();
  } } }, `Show all ${written(contributions.length)} terms`);
  if (rest > 0) body.append(hidden());
  return [make("div", { class: "scroll" }, table), rest > 0 ? more : null].filter(Boolean);
};
