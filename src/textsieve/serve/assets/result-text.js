// Texts and legends about the result for a text: the predicted classes, the colours and the bars.

import { formatCount, formatNumber, formatPercent, isNumber, labelParts, make } from "./dom.js";
import { signsNote, termText } from "./term-text.js";

const LEGEND_STRENGTHS = [0.25, 0.6, 1];
const EXACT = "Point at a term, tap it, or reach it with Tab and the arrow keys to see the exact number.";
const ADDS = "The stronger the colour, the more a term counts.";
const COMPARED = "The stronger the colour, the more a term counts for this class than for all classes on average.";
const TRUNCATED = " The text is long, so only its beginning is marked; the table in Details has all terms.";
const CHOOSE = "Choose a class to see its terms.";

/** Returns the predicted labels, the best first. */
export const predictedLabels = ({ classes }) => classes.filter(({ predicted }) => predicted).map(({ label }) => label);

/** Returns whether the model has only a best guess: it abstains, or knows no term of the text. */
export const hasOnlyGuess = ({ classes, abstains, unknown }) =>
  predictedLabels({ classes }).length === 1 && Boolean(abstains || unknown);

const wordsLine = ({ known, total }) => {
  const words = `${formatNumber(known)} of ${formatCount(total, "word")}`;
  return make("p", { class: "muted words" }, `The model knows ${words} of this text.`);
};

/** Returns “Not sure”, the best guess, and why the model is not sure; the service asks for a minimum probability. */
const unsureLines = ({ classes, unknown, words }, minimum) => {
  const [best] = classes.filter(({ predicted }) => predicted);
  const percent = isNumber(best.probability) ? make("b", {}, formatPercent(best.probability)) : null;
  const below = `No class has a probability of at least ${formatPercent(minimum, 0)}.`;
  return [
    make("p", { class: "muted lead" }, "Predicted class"),
    make("p", { class: "names" }, make("strong", {}, "Not sure")),
    make("p", {}, "Best guess: ", labelParts(best.label), percent ? ", probability " : null, percent),
    make("p", { class: "unknown" }, unknown ? `${unknown.replace(/\.$/, "")}.` : below),
    wordsLine(words),
  ];
};

/** Returns the predicted classes, or “Not sure”; the probability or score of a single class; and the known words. */
export const predictionLines = (explanation, model) => {
  const { classes, words } = explanation, predicted = predictedLabels(explanation);
  if (hasOnlyGuess(explanation)) return unsureLines(explanation, model.min_probability);
  const names = predicted.map((label) => make("strong", {}, labelParts(label)));
  const lines = [
    make("p", { class: "muted lead" }, predicted.length === 1 ? "Predicted class" : "Predicted classes"),
    make("p", { class: "names" }, names.length ? names : make("strong", {}, "None: no class reaches its threshold")),
  ];
  if (names.length !== 1) return [...lines, wordsLine(words)];
  const best = classes.find(({ predicted: isPredicted }) => isPredicted);
  const figure = isNumber(best.probability)
    ? ["Probability ", make("b", {}, formatPercent(best.probability))]
    : ["Score ", make("b", {}, formatNumber(best.score, 3))];
  return [...lines, make("p", {}, figure), wordsLine(words)];
};

export const legendLines = () => {
  const sample = (kind, strength) => make("mark", { class: kind, vars: { "--strength": String(strength) } }, "\u2003");
  const samples = (kind) => make("span", { class: "samples", "aria-hidden": "true" },
    LEGEND_STRENGTHS.map((strength) => sample(kind, strength)));
  const line = (kind, text) => make("li", {}, samples(kind), ` ${text}`);
  return [line("for", "speaks for it"), line("against", "speaks against it")];
};

/** Returns what the signs in the terms of an explanation mean; "" if there are none. */
export const signsOf = (contributions) => signsNote(contributions.map(({ term }) => termText(term)));

export const marksNote = ({ contributions, compared }, isTruncated) => {
  if (!contributions.length) return "The model knows no term of this text.";
  const truncated = isTruncated ? TRUNCATED : "";
  return `${compared ? COMPARED : ADDS} ${EXACT}${truncated} ${signsOf(contributions)}`.trim();
};

export const barsNote = ([{ probability }], isMultilabel) => {
  if (isNumber(probability)) return CHOOSE;
  const line = isMultilabel ? "; the line in a bar is the threshold of the class" : "";
  return `Bars run from the lowest score to the highest${line}. Scores of different texts can’t be compared. ${CHOOSE}`;
};
