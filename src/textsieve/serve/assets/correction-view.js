// The form to correct a prediction; the server saves corrections for the next training.

import * as api from "./api.js";
import { byReader, useOfCorrections } from "./command-line.js";
import { beginningOf, byId, isBlank, labelKey, labelText, make, show } from "./dom.js";

const MANY = 15; // with more classes than this, there is a search field

const singleChoice = (classes) => {
  const options = classes.map(({ label }) => make("option", { value: labelKey(label) }, labelText(label)));
  const nothing = make("option", { value: "" }, "Choose …");
  const none = make("option", { value: labelKey(null) }, "None of these");
  const select = make("select", { id: "right-class", required: true }, nothing, none, options);
  return {
    element: make("label", { class: "field" }, "Right class ", select),
    read: () => (select.value === "" ? null : { label: JSON.parse(select.value) }), // null for “None of these”
    first: select,
    missing: "Choose the right class first.",
  };
};

const multipleChoice = (classes, predicted) => {
  const isPredicted = new Set(predicted.map(labelKey));
  const isFirst = ({ label }) => isPredicted.has(labelKey(label));
  const boxes = [...classes.filter(isFirst), ...classes.filter((cls) => !isFirst(cls))].map(({ label }) => {
    const key = labelKey(label), name = labelText(label);
    const box = make("input", { type: "checkbox", value: key, is: { checked: isPredicted.has(key) } });
    return { box, name: name.toLowerCase(), element: make("label", { class: "check" }, box, ` ${name}`) };
  });
  const search = make("input", { type: "search", on: { input: () => {
    const query = search.value.trim().toLowerCase();
    for (const { box, name, element } of boxes) element.hidden = !box.checked && !name.includes(query);
  } } });
  return {
    element: make("fieldset", {}, make("legend", {}, "Right classes"),
      make("p", { class: "note" }, "If none of these is right, leave all of them unticked."),
      classes.length > MANY ? make("label", { class: "field" }, "Find a class", search) : null,
      make("div", { class: "checks" }, boxes.map(({ element }) => element))),
    read: () => ({ labels: boxes.filter(({ box }) => box.checked).map(({ box }) => JSON.parse(box.value)) }),
    first: classes.length > MANY ? search : boxes[0].box,
    missing: "",
  };
};

const namesOf = ({ label = null, labels = label === null ? [] : [label] }) =>
  labels.map((name) => `“${labelText(name)}”`).join(", ") || "none of the classes";

const MISSING = "It shows that a class is missing; textsieve update leaves it out.";
const MISSING_ELSEWHERE = "It shows the owner of the model that a class is missing.";
const REPLACED = "The correction was not saved: the service has loaded another model, which does not have this class. "
  + "Check the new result and choose one of its classes.";

/** Shows the outcome of a correction; it stays while the text is edited, until there is another result.
 *
 * `undo` is called by the button that undoes the correction; null for no button.
 */
export const showCorrectionState = (message, undo = null) => {
  byId("correction-state").textContent = message ?? "";
  byId("correction-undo").onclick = undo;
  byId("correction-undo").disabled = false;
  show(byId("correction-undo"), undo !== null);
};

/** Returns the fields to choose from; a single-label model leaves out the predicted class, which is wrong. */
const choiceOf = ({ multilabel, classes }, predicted) => {
  if (multilabel) return multipleChoice(classes, predicted);
  const isWrong = new Set(predicted.map(labelKey));
  return singleChoice(classes.filter(({ label }) => !isWrong.has(labelKey(label))));
};

/**
 * Shows the form to correct the prediction for a text, unless the server accepts no corrections of this text. A text
 * may belong to none of the classes. `predicted` has the predicted labels, or none if the model is not sure.
 * `reloadModel` is called if the server rejects a correction, because it may have loaded another model.
 */
export const offerCorrection = (model, text, predicted, reloadModel) => {
  const container = byId("correction");
  if (!model.feedback || isBlank(text)) return container.replaceChildren();
  const form = make("form", { id: "correction-form", is: { hidden: true } });
  const attributes = { "aria-expanded": "false", "aria-controls": "correction-form" };
  const title = predicted.length || model.multilabel ? "This is wrong" : "Choose the class";
  const open = make("button", { type: "button", id: "wrong", ...attributes }, title);
  const choice = choiceOf(model, predicted);
  const toggle = (isOpen) => {
    form.hidden = !isOpen;
    open.setAttribute("aria-expanded", String(isOpen));
    showCorrectionState(null);
    (isOpen ? choice.first : open).focus();
  };
  open.addEventListener("click", () => toggle(form.hidden));
  /** Withdraws all corrections of the text, and offers to correct it again. */
  const undo = async () => {
    const isCurrent = () => byId("correction-undo").onclick === undo; // false if there is another result by now
    byId("correction-undo").disabled = true;
    try {
      await api.correct({ text, withdraw: true });
      if (!isCurrent()) return;
      if (!container.hasChildNodes()) offerCorrection(model, text, predicted, reloadModel);
      showCorrectionState(`All corrections of ${beginningOf(text)} were withdrawn.`);
    } catch (reason) {
      if (!isCurrent()) return;
      showCorrectionState(`The correction was not withdrawn. ${reason.message}`, undo);
    }
    byId("correction-state").focus();
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const correction = choice.read();
    if (correction === null) return showCorrectionState(choice.missing);
    try {
      await api.correct({ text, ...correction });
      if (!form.isConnected) return; // there is another result by now
      container.replaceChildren();
      const summary = `The correction was saved: ${beginningOf(text)} belongs to ${namesOf(correction)}.`;
      const use = correction.label === null ? byReader(MISSING, MISSING_ELSEWHERE) : useOfCorrections(model);
      showCorrectionState(`Thank you. ${summary} ${use}`, undo);
      byId("correction-state").focus();
    } catch (reason) {
      const isReplaced = reason instanceof api.ApiError && reason.code === "unknown_label";
      showCorrectionState(isReplaced ? REPLACED : `The correction was not saved. ${reason.message}`);
      if (reason.status === 422) reloadModel();
    }
  });
  const cancel = make("button", { type: "button", on: { click: () => toggle(false) } }, "Cancel");
  const send = make("button", { type: "submit", class: "primary" }, "Send");
  const about = make("p", { class: "note" }, `Text: ${beginningOf(text)}`);
  const use = make("p", { class: "note", id: "correction-use" }, useOfCorrections(model));
  form.append(about, use, choice.element, make("div", { class: "controls" }, send, cancel));
  return container.replaceChildren(open, form);
};
