// The classes of a text with their scores, best first; the reader chooses one by mouse or arrow keys.
//
// Bars show probabilities if there are any. Otherwise they run from the lowest score of all classes to the highest,
// because the zero of a score has no meaning for a reader; a line in a bar shows the threshold of the class.

import { bar, byId, formatNumber, formatPercent, isNumber, labelKey, labelParts, make, show } from "./dom.js";
import { hasOnlyGuess } from "./result-text.js";
import { nextIndex } from "./tabs.js";

const FIRST = 10; // number of classes that are shown at first

/** Returns a function from a score to the length of its bar, from 0 to 1. */
export const scaleOf = (classes) => {
  const low = classes.reduce((lowest, { score }) => Math.min(lowest, score), Infinity);
  const high = classes.reduce((highest, { score }) => Math.max(highest, score), -Infinity);
  return (score) => (high > low ? (score - low) / (high - low) : 1);
};

const barOf = ({ score, threshold, probability }, scale) => {
  if (isNumber(probability)) return bar(probability);
  const isInRange = isNumber(threshold) && scale(threshold) >= 0 && scale(threshold) <= 1;
  return bar(scale(score), { mark: isInRange ? scale(threshold) : null });
};

/**
 * Returns the numbers of a class; if there is a probability, the others are details. If `haveThresholds`, a class
 * without a threshold has an infinite one.
 */
const figuresOf = ({ score, threshold, probability }, haveThresholds) => {
  const figure = (text, kind) => make("span", { class: `figure ${kind}` }, text);
  const limit = isNumber(threshold) ? `threshold ${formatNumber(threshold, 3)}` : "never assigned";
  const kind = isNumber(probability) ? "detail" : "";
  return [
    isNumber(probability) ? figure(formatPercent(probability), "strong") : null,
    figure(`score ${formatNumber(score, 3)}`, kind),
    haveThresholds ? figure(limit, kind) : null,
  ];
};

const nameOf = (label, isPredicted) => {
  const tick = () => make("span", { class: "tick" }, " ✓", make("span", { class: "hidden" }, " predicted"));
  return make("span", { class: "name" }, labelParts(label), isPredicted ? tick() : null);
};

/**
 * Sets up the list of classes; `prefix` is that of the ids of its elements. `onChoose(label)` is called when the reader
 * chooses another class.
 */
export const useClasses = (prefix, onChoose) => {
  const list = byId(`${prefix}classes`), more = byId(`${prefix}all-classes`);
  let classes = [], isGuess = false, areAllShown = false, current = null;

  const buttons = () => [...list.querySelectorAll("[role=radio]")];
  const check = () => {
    for (const button of buttons()) {
      const isCurrent = button.dataset.key === current;
      button.setAttribute("aria-checked", String(isCurrent));
      button.tabIndex = isCurrent ? 0 : -1;
    }
  };
  const draw = () => {
    const scale = scaleOf(classes), haveThresholds = classes.some(({ threshold }) => isNumber(threshold));
    const isShown = ({ label, predicted }, index) =>
      areAllShown || index < FIRST || predicted || labelKey(label) === current;
    const visibleClasses = classes.filter(isShown);
    const isPredicted = (cls) => cls.predicted && !isGuess;
    list.replaceChildren(...visibleClasses.map((cls) => make(
      "button",
      { type: "button", role: "radio", class: isPredicted(cls) ? "is-predicted" : "", "data-key": labelKey(cls.label) },
      nameOf(cls.label, isPredicted(cls)),
      barOf(cls, scale),
      make("span", { class: "figures" }, figuresOf(cls, haveThresholds)),
    )));
    show(more, visibleClasses.length < classes.length || (areAllShown && classes.length > FIRST));
    more.textContent = areAllShown ? `Show only the best ${FIRST}` : `Show all ${formatNumber(classes.length)} classes`;
    check();
  };
  const choose = (button) => {
    if (button.dataset.key === current) return;
    current = button.dataset.key;
    check();
    onChoose(JSON.parse(current));
  };
  list.addEventListener("click", (event) => {
    const button = event.target.closest("[role=radio]");
    if (button) choose(button);
  });
  list.addEventListener("keydown", (event) => {
    const all = buttons(), next = nextIndex(event, all.indexOf(event.target.closest("[role=radio]")), all.length);
    if (next === null) return;
    event.preventDefault();
    all[next].focus();
    choose(all[next]);
  });
  more.addEventListener("click", () => {
    areAllShown = !areAllShown;
    draw();
  });

  /** Shows the classes of an explanation, and selects the explained class. */
  return (explanation) => {
    const areSame = JSON.stringify(explanation.classes) === JSON.stringify(classes);
    classes = explanation.classes;
    isGuess = hasOnlyGuess(explanation);
    current = labelKey(explanation.label);
    const isSame = areSame && buttons().some((button) => button.dataset.key === current);
    if (isSame) check(); // keeps the focus on its button
    else draw();
  };
};
