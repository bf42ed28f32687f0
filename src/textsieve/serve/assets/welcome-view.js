// What the page shows before there is a text: examples to try, and the classes of the model.

import { beginningOf, byId, formatCount, formatNumber, labelParts, make, show } from "./dom.js";

const FIRST = 24; // number of classes that are shown at first
const CLIP = 140; // characters of an example on its button

const noteOf = ({ multilabel, classes }, nShown) => {
  const number = formatCount(classes.length, "class", "classes");
  const task = multilabel ? `A text gets any number of these ${number}` : `A text gets one of these ${number}`;
  return nShown < classes.length ? `${task}; the largest ${formatNumber(nShown)} are shown.` : `${task}.`;
};

/** Sets up the view; `onExample(text)` is called when the reader chooses an example. */
export const useWelcome = (onExample) => {
  let model = null, areAllShown = false;
  const more = byId("all-class-names");

  const drawClasses = () => {
    const bySize = [...model.classes].sort((a, b) => b.documents - a.documents);
    const largest = new Set(areAllShown ? bySize : bySize.slice(0, FIRST));
    const shown = model.classes.filter((cls) => largest.has(cls)); // in their usual order
    byId("class-names-note").textContent = noteOf(model, shown.length);
    byId("class-names").replaceChildren(...shown.map(({ label }) => make("li", {}, labelParts(label))));
    show(more, shown.length < model.classes.length);
    more.textContent = `Show all ${formatNumber(model.classes.length)} classes`;
  };
  more.addEventListener("click", () => {
    areAllShown = true;
    drawClasses();
    byId("class-names").tabIndex = -1; // gets the focus, because the button has disappeared
    byId("class-names").focus();
  });

  /** Shows the examples and classes of another model. */
  return (newModel) => {
    model = newModel;
    areAllShown = false;
    const button = (text) => make("button", { type: "button", dir: "auto", on: { click: () => onExample(text) } },
      beginningOf(text, CLIP));
    byId("examples").replaceChildren(...model.examples.map(button));
    show(byId("examples-part"), model.examples.length > 0);
    drawClasses();
  };
};
