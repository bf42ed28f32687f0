// A reader who knows better says which class is right; the server writes it down for the next training.

import * as api from "./api.js";
import { byId, labelKey, labelText, make } from "./dom.js";

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
  const boxes = classes.map(({ label }) => {
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

/**
 * Offers to correct what was predicted for a text; offers nothing if the server takes no corrections, or none of such a
 * text. Where a text may have several classes, it may also have none.
 */
export const offerCorrection = (model, text, predicted) => {
  const place = byId("correction");
  if (!model.feedback || BLANK.test(text)) return place.replaceChildren();
  const said = make("p", { class: "state", role: "status" });
  const form = make("form", { id: "correction-form" });
  const opens = { "aria-expanded": "false", "aria-controls": "correction-form" };
  const open = make("button", { type: "button", id: "wrong", ...opens }, "This is wrong");
  form.hidden = true;
  const choice = model.labels === "one" ? chooser(model.classes) : checkboxes(model.classes, predicted);
  const turn = (isOpen) => {
    form.hidden = !isOpen;
    open.setAttribute("aria-expanded", String(isOpen));
  };
  open.addEventListener("click", () => {
    turn(form.hidden);
    said.textContent = "";
    if (!form.hidden) choice.first.focus();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const right = choice.read();
    if (right === null) return void (said.textContent = choice.missing);
    try {
      await api.correct({ text, ...right });
      turn(false);
      open.focus();
      said.textContent = `Thank you. It was written down that this text belongs to ${namesOf(right)}.`;
    } catch (reason) {
      said.textContent = `It was not written down. ${reason.message}`;
    }
  });
  const cancel = make("button", { type: "button", on: { click: () => { turn(false); open.focus(); } } }, "Cancel");
  const send = make("button", { type: "submit", class: "primary" }, "Send");
  form.append(choice.element, make("div", { class: "controls" }, send, cancel));
  return place.replaceChildren(make("div", { class: "controls" }, open, said), form);
};
