// The classes of a text with their scores, best first: a choice of one, by mouse or arrow keys.
//
// With probabilities, bars are these. Scores have no zero that means anything to a reader, so without probabilities
// bars run from the lowest score of all classes to the highest; a line in them is where a class would be given.

import { bar, byId, isNumber, labelKey, labelParts, make, percent, show, written } from "./dom.js";
import { stepped } from "./tabs.js";

const FIRST = 10; // classes that are shown at once

/** A share of the bar for a score, given all classes. */
export const scaleOf = (classes) => {
  const low = classes.reduce((least, { score }) => Math.min(least, score), Infinity);
  const high = classes.reduce((most, { score }) => Math.max(most, score), -Infinity);
  return (score) => (high > low ? (score - low) / (high - low) : 1);
};

const barOf = ({ score, threshold, probability }, scale) => {
  if (isNumber(probability)) return bar(probability);
  const isSeen = isNumber(threshold) && scale(threshold) >= 0 && scale(threshold) <= 1;
  return bar(scale(score), { mark: isSeen ? scale(threshold) : null });
};

/** `areCut` says that classes have thresholds; one without is never given, as if its threshold were infinite. */
const figuresOf = ({ score, threshold, probability }, areCut) => {
  const figure = (words, kind = "") => make("span", { class: `figure ${kind}` }, words);
  const needed = isNumber(threshold) ? `needs ${written(threshold, 3)}` : "never given";
  return [
    isNumber(probability) ? figure(percent(probability), "strong") : null,
    figure(`score ${written(score, 3)}`),
    areCut ? figure(needed) : null,
  ];
};

const nameOf = ({ label, predicted }) => {
  const tick = () => make("span", { class: "tick" }, " ✓", make("span", { class: "hidden" }, " predicted"));
  return make("span", { class: "name" }, labelParts(label), predicted ? tick() : null);
};

/** `chosen(label)` is called when the reader wants another class explained. */
export const useClasses = (chosen) => {
  const list = byId("classes"), more = byId("all-classes");
  let classes = [], areAllShown = false, current = null;

  const buttons = () => [...list.querySelectorAll("[role=radio]")];
  const check = () => {
    for (const each of buttons()) {
      const isCurrent = each.dataset.key === current;
      each.setAttribute("aria-checked", String(isCurrent));
      each.tabIndex = isCurrent ? 0 : -1;
    }
  };
  const draw = () => {
    const scale = scaleOf(classes), areCut = classes.some(({ threshold }) => isNumber(threshold));
    const isShown = (each, at) => areAllShown || at < FIRST || each.predicted || labelKey(each.label) === current;
    const shown = classes.filter(isShown);
    list.replaceChildren(...shown.map((each) => make(
      "button",
      { type: "button", role: "radio", class: each.predicted ? "is-predicted" : "", "data-key": labelKey(each.label) },
      nameOf(each),
      barOf(each, scale),
      make("span", { class: "figures" }, figuresOf(each, areCut)),
    )));
    show(more, shown.length < classes.length || (areAllShown && classes.length > FIRST));
    more.textContent = areAllShown ? `Show the best ${FIRST} only` : `Show all ${written(classes.length)} classes`;
    check();
  };
  const choose = (button) => {
    if (button.dataset.key === current) return;
    current = button.dataset.key;
    check();
    chosen(JSON.parse(current));
  };
  list.addEventListener("click", (event) => {
    const button = event.target.closest("[role=radio]");
    if (button) choose(button);
  });
  list.addEventListener("keydown", (event) => {
    const all = buttons(), next = stepped(event, all.indexOf(event.target.closest("[role=radio]")), all.length);
    if (next === null) return;
    event.preventDefault();
    all[next].focus();
    choose(all[next]);
  });
  more.addEventListener("click", () => {
    areAllShown = !areAllShown;
    draw();
  });

  /** Shows the classes of an explanation; the one it explains is chosen. */
  return (explained) => {
    const areSame = JSON.stringify(explained.classes) === JSON.stringify(classes);
    classes = explained.classes;
    current = labelKey(explained.label);
    const isSame = areSame && buttons().some((each) => each.dataset.key === current);
    if (isSame) check(); // the button that has the focus stays
    else draw();
  };
};
