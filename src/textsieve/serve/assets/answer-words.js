// An answer in words: what a text is, what colours mean, and what bars are.

import { isNumber, labelParts, labelText, make, percent, written } from "./dom.js";

const SAMPLES = [0.25, 0.6, 1]; // strengths in the legend
const HOW = "Point at it, tap it, or go there with Tab and the arrow keys for the exact number.";
const ADDS = "The stronger the colour, the more a term adds.";
const COMPARED = "The stronger the colour, the more a term adds beside what it adds to other classes on average.";
const CUT = " The text is so long that only its beginning is marked; the table has all terms.";
const CHOOSE = "Choose a class to see its terms.";
const ONE_TEXT = "Scores are for comparing the classes of one text; scores of two texts can’t be compared";

/** What was predicted, the best first. */
export const bestFirst = ({ classes }) => classes.filter((each) => each.predicted).map(({ label }) => label);

const leadOf = ({ length }) => {
  if (length === 0) return "This text gets no class";
  return length === 1 ? "The class of this text is" : "The classes of this text are";
};

/** The class or classes; with one of them, its score; and if no term is known, that. */
export const verdictOf = ({ classes, unknown }) => {
  const predicted = bestFirst({ classes });
  const names = predicted.map((label) => make("strong", {}, labelParts(label)));
  const lines = [
    make("p", { class: "muted lead" }, leadOf(predicted)),
    make("p", { class: "names" }, names.length ? names : make("strong", {}, "None reaches its threshold")),
  ];
  if (unknown) return [...lines, make("p", { class: "unknown" }, `${unknown.replace(/\.$/, "")}.`)];
  if (names.length !== 1) return lines;
  const { score, probability } = classes.find((each) => each.predicted);
  const probable = isNumber(probability) ? `${percent(probability)} probable, ` : "";
  return [...lines, make("p", { class: "muted" }, `${probable}score ${written(score, 3)}`)];
};

export const legendOf = (label) => {
  const sample = (kind, strength) => make("mark", { class: kind, vars: { "--strength": String(strength) } }, "\u2003");
  const samples = (kind) =>
    make("span", { class: "samples", "aria-hidden": "true" }, SAMPLES.map((each) => sample(kind, each)));
  const line = (kind, words) => make("li", {}, samples(kind), ` ${words} ${labelText(label)}`);
  return [line("for", "speaks for"), line("against", "speaks against")];
};

export const marksNote = ({ contributions, compared }, isCut) => {
  if (!contributions.length) return "No term of this text is known to the model.";
  return `${compared ? COMPARED : ADDS} ${HOW}${isCut ? CUT : ""}`;
};

export const barsNote = ([{ probability }], several) => {
  if (isNumber(probability)) return `Bars are probabilities. ${ONE_TEXT}, probabilities can. ${CHOOSE}`;
  const line = several ? "; the line in a bar is where the class is given" : "";
  return `Bars run from the lowest score to the highest${line}. ${ONE_TEXT}. ${CHOOSE}`;
};
