// A reader who knows better says which class is right; the server writes it down for the next training.

import * as api from "./api.js";
import { beginningOf, byId, labelKey, labelText, make } from "./dom.js";

const MANY = 15; // classes, from which on they can be searched
const BLANK = /^[\s\x1c-\x1f\x85]*$/; // as Python has it; nothing is learned from it, and the server does not take it

const chooser = (classes) => {
  const options = classes.map(({ label }) => make("option", { value: labelKey(label) }, labelText(label)));
  const none = make("option", { value: "" }, "Choose …");
  const select = make("select", { id: "right-class", required: true }, none, options);
  return {
    element: make("label", { class: "field" }, "The right class is ", select),
    read: () => (select.value === "" ? null : { label: JSON.parse(select.value) }),
    first: select,
    missing: "Choose the right class first.",
  };
};

const checkboxes = (classes, predicted) => {
  const isPredicted = new Set(predicted.map(labelKey));
  const isFirst = ({ label }) => isPredicted.has(labelKey(label));
  const boxes = [...classes.filter(isFirst), ...classes.filter((each) => !isFirst(each))].map(({ label }) => {
    const key = labelKey(label), name = labelText(label);
    const box = make("input", { type: "checkbox", value: key, is: { checked: isPredicted.has(key) } });
    return { box, name: name.toLowerCase(), element: make("label", { class: "check" }, box, ` ${name}`) };
  });
  const search = make("input", { type: "search", on: { input: () => {
    const wanted = search.value.trim().toLowerCase();
    for (const { box, name, element } of boxes) element.hidden = !box.checked && !name.includes(wanted);
  } } });
  return {
    element: make("fieldset", {}, make("legend", {}, "The right classes are"),
      classes.length > MANY ? make("label", { class: "field" }, "Find a class", search) : null,
      make("div", { class: "checks" }, boxes.map(({ element }) => element))),
    read: () => ({ labels: boxes.filter(({ box }) => box.checked).map(({ box }) => JSON.parse(box.value)) }),
    first: classes.length > MANY ? search : boxes[0].box,
    missing: "",
  };
};

const namesOf = ({ label, labels }) =>
  (labels ?? [label]).map((each) => `“${labelText(each)}”`).join(", ") || "no class";

const UPDATE = "The model learns it when whoever runs the service has run textsieve update.";
const REPLACED = "It was not written down: the service has another model since this answer was given, and it does not "
  + "have that class. Look at the answer again, and choose of its classes.";

/** What came of a correction; it stays while the text is changed, until there is another answer. */
export const sayOfCorrection = (words) => { byId("correction-said").textContent = words ?? ""; };

/** With one class for each text, the predicted one is not the right one. */
const choiceOf = ({ labels, classes }, predicted) => {
  if (labels !== "one") return checkboxes(classes, predicted);
  const isWrong = new Set(predicted.map(labelKey));
  return chooser(classes.filter(({ label }) => !isWrong.has(labelKey(label))));
};

/**
 * Offers to correct what was predicted for a text; offers nothing if the server takes no corrections, or none of such a
 * text. Where a text may have several classes, it may also have none. `renew` is called if the server refuses what was
 * sent: then it may have another model.
 */
export const offerCorrection = (model, text, predicted, renew) => {
  const place = byId("correction"), isOnly = model.labels === "one" && model.classes.length < 2;
  if (!model.feedback || isOnly || BLANK.test(text)) return place.replaceChildren();
  const form = make("form", { id: "correction-form", is: { hidden: true } });
  const opens = { "aria-expanded": "false", "aria-controls": "correction-form" };
  const open = make("button", { type: "button", id: "wrong", ...opens }, "This is wrong");
  const choice = choiceOf(model, predicted);
  const turn = (isOpen) => {
    form.hidden = !isOpen;
    open.setAttribute("aria-expanded", String(isOpen));
    sayOfCorrection(null);
    (isOpen ? choice.first : open).focus();
  };
  open.addEventListener("click", () => turn(form.hidden));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const right = choice.read();
    if (right === null) return sayOfCorrection(choice.missing);
    try {
      await api.correct({ text, ...right });
      if (!form.isConnected) return; // there is another answer by now
      place.replaceChildren();
      const written = `It was written down that ${beginningOf(text)} belongs to ${namesOf(right)}.`;
      sayOfCorrection(`Thank you. ${written} ${UPDATE}`);
      byId("correction-said").focus();
    } catch (reason) {
      const isReplaced = reason instanceof api.Refusal && reason.code === "unknown_label";
      sayOfCorrection(isReplaced ? REPLACED : `It was not written down. ${reason.message}`);
      if (reason.status === 422) renew();
    }
  });
  const cancel = make("button", { type: "button", on: { click: () => turn(false) } }, "Cancel");
  const send = make("button", { type: "submit", class: "primary" }, "Send");
  const about = make("p", { class: "note" }, `About the text ${beginningOf(text)}`);
  form.append(about, choice.element, make("div", { class: "controls" }, send, cancel));
  return place.replaceChildren(open, form);
};
