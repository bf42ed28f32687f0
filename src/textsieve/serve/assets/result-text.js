// Texts and legends about the result for a text: the predicted classes, the colours and the bars.

import { formatCount, formatNumber, formatPercent, isNumber, labelParts, labelText, make } from "./dom.js";

const LEGEND_STRENGTHS = [0.25, 0.6, 1];
const EXACT = "Point at a term, tap it, or reach it with Tab and the arrow keys to see the exact number.";
const ADDS = "The stronger the colour, the more a term adds to the score.";
const COMPARED = "The stronger the colour, the more a term adds to this class than to all classes on average.";
const TRUNCATED = " The text is long, so only its beginning is marked; the table has all terms.";
const CHOOSE = "Choose a class to see its terms.";

/** Returns the predicted labels, the best first. */
export const predictedLabels = ({ classes }) => classes.filter(({ predicted }) => predicted).map(({ label }) => label);

const wordsLine = ({ known, total }) => {
  const words = `${formatNumber(known)} of ${formatCount(total, "word")}`;
  return make("p", { class: "muted words" }, `The model knows ${words} of this text.`);
};

/** Returns “Not sure”, the best guess, and why the model is not sure. */
const unsureLines = ({ classes, unknown, words }) => {
  const [best] = classes.filter(({ predicted }) => predicted);
  const probability = isNumber(best.probability) ? `, probability ${formatPercent(best.probability)}` : "";
  return [
    make("p", { class: "muted lead" }, "Predicted class"),
    make("p", { class: "names" }, make("strong", {}, "Not sure")),
    make("p", {}, "Best guess: ", labelParts(best.label), probability),
    unknown ? make("p", { class: "unknown" }, `${unknown.replace(/\.$/, "")}.`) : null,
    wordsLine(words),
  ].filter(Boolean);
};

/** Returns the predicted class or classes, or “Not sure”; the score if there is one class; and the known words. */
export const predictionLines = ({ classes, unknown, abstains, words }) => {
  const predicted = predictedLabels({ classes });
  if (predicted.length === 1 && (abstains || unknown)) return unsureLines({ classes, unknown, words });
  const names = predicted.map((label) => make("strong", {}, labelParts(label)));
  const lines = [
    make("p", { class: "muted lead" }, predicted.length === 1 ? "Predicted class" : "Predicted classes"),
    make("p", { class: "names" }, names.length ? names : make("strong", {}, "None: no class reaches its threshold")),
  ];
  if (names.length !== 1) return [...lines, wordsLine(words)];
  const best = classes.find(({ predicted: isPredicted }) => isPredicted);
  const probability = isNumber(best.probability) ? `probability ${formatPercent(best.probability)}, ` : "";
  const score = make("p", { class: "muted" }, `${probability}score ${formatNumber(best.score, 3)}`);
  return [...lines, score, wordsLine(words)];
};

export const legendLines = (label) => {
  const sample = (kind, strength) => make("mark", { class: kind, vars: { "--strength": String(strength) } }, "\u2003");
  const samples = (kind) => make("span", { class: "samples", "aria-hidden": "true" },
    LEGEND_STRENGTHS.map((strength) => sample(kind, strength)));
  const line = (kind, text) => make("li", {}, samples(kind), ` ${text} ${labelText(label)}`);
  return [line("for", "speaks for"), line("against", "speaks against")];
};

export const marksNote = ({ contributions, compared }, isTruncated) => {
  if (!contributions.length) return "The model knows no term of this text.";
  return `${compared ? COMPARED : ADDS} ${EXACT}${isTruncated ? TRUNCATED : ""}`;
};

export const barsNote = ([{ probability }], isMultilabel) => {
  if (isNumber(probability)) {
    return `Bars show probabilities. Unlike scores, they can be compared between texts. ${CHOOSE}`;
  }
  const line = isMultilabel ? "; the line in a bar is the threshold of the class" : "";
  return `Bars run from the lowest score to the highest${line}. Scores of different texts can’t be compared. ${CHOOSE}`;
};
