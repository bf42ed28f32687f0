// The classes of a text with their scores, best first: a choice of one, by mouse or arrow keys.
//
// With probabilities, bars are these. Scores have no zero that means anything to a reader, so without probabilities bars
// run from the lowest score of all classes to the highest; a line in them is where a class would be given.

import { bar, byId, labelKey, labelParts, make, percent, show, written } from "./dom.js";
import { stepped } from "./tabs.js";

const FIRST = 10; // classes that are shown at once

/** A share of the bar for a score, given all classes. */
export const scaleOf = (classes) => {
  const scores = classes.map(({ score }) => score), low = Math.min(...scores), high = Math.max(...scores);
  return (score) => (high > low ? (score - low) / (high - low) : 1);
};

const barOf = ({ score, threshold, probability }, scale) => {
  if (probability !== null && probability !== undefined) return bar(probability);
  const isSeen = threshold !== null && threshold !== undefined && scale(threshold) >= 0 && scale(threshold) <= 1;
  return bar(scale(score), { mark: isSeen ? scale(threshold) : null });
};

/** `areCut` says that classes have thresholds; one without is never given, as if its threshold were infinite. */
const figuresOf = ({ score, threshold, probability }, areCut) => [
  probability === null || probability === undefined ? null : make("span", { class: "figure strong" }, percent(probability)),
  make("span", { class: "figure" }, `score ${written(score, 3)}`),
  areCut ? make("span", { class: "figure" }, threshold === null ? "never given" : `needs ${written(threshold, 3)}`) : null,
];

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
    const scale = scaleOf(classes), areCut = classes.some(({ threshold }) => typeof threshold === "number");
    const shown = classes.filter((each, at) => areAllShown || at < FIRST || each.predicted || labelKey(each.label) === current);
    list.replaceChildren(...shown.map((each) => make(
      "button",
      { type: "button", role: "radio", class: each.predicted ? "is-predicted" : "", "data-key": labelKey(each.label) },
      make("span", { class: "name" }, labelParts(each.label), each.predicted ? make("span", { class: "tick" }, " ✓", make("span", { class: "hidden" }, " predicted")) : null),
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
    const isSame = labelKey(explained.classes) === labelKey(classes) && buttons().some((each) => each.dataset.key === labelKey(explained.label));
    classes = explained.classes;
    current = labelKey(explained.label);
    if (isSame) check(); // the button that has the focus stays
    else draw();
  };
};
