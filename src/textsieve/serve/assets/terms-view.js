// The terms of the model with a search: strongest first for one class, or all in the order of selection. Words come
// before n-grams of characters, which a newcomer can't read.

import * as api from "./api.js";
import {
  afterPause, bar, byId, formatCount, formatNumber, labelKey, labelParts, labelText, make, show,
} from "./dom.js";
import { signsNote, termText } from "./term-text.js";

const PAGE = 50; // terms per request
const PAUSE = 250; // milliseconds without a key before a search starts

const NOTE = {
  one: "Strongest first. The higher the strength, the more a term speaks for the class.",
  all: "In the order of selection. For each term, the class for which it speaks most.",
};
const WORDS_FIRST = " Words come first, and then pieces of words.";

/** Sets up the list of terms; `reloadModel` is called if the server does not know a class of the page's model. */
export const useTerms = (reloadModel) => {
  const classSelect = byId("terms-class"), search = byId("terms-search"), more = byId("terms-more");
  let nShown = 0, largest = 0, current = new AbortController(), isFilled = false;
  let orderNote = "";
  const body = make("tbody");
  const classHead = make("th", { scope: "col", class: "text" }, "Strongest class");
  const table = make("table", { class: "terms" }, make("caption", { class: "hidden" }, "Terms"),
    make("thead", {}, make("tr", {},
      make("th", { scope: "col", class: "text" }, "Term"),
      classHead,
      make("th", { scope: "col", class: "number" }, "Strength"),
      make("td", { class: "bars" }))),
    body);
  byId("terms-list").replaceChildren(make("div", { class: "scroll" }, table));

  const rowOf = ({ term, label, strength }, isAll) => make("tr", {},
    make("th", { scope: "row", class: "text" }, termText(term)),
    isAll ? make("td", { class: "text" }, labelParts(label)) : null,
    make("td", { class: "number" }, formatNumber(strength, 3)),
    make("td", { class: "bars" }, bar(largest > 0 ? strength / largest : 0, { kind: "for" })));

  const load = async (offset) => {
    current.abort();
    current = new AbortController();
    const { signal } = current;
    const label = classSelect.value === "" ? null : JSON.parse(classSelect.value), q = search.value.trim();
    try {
      const page = await api.terms({ label, q, n: PAGE, offset }, signal);
      if (signal.aborted) return;
      if (offset === 0) {
        largest = Math.max(0, ...page.terms.map(({ strength }) => strength));
        body.replaceChildren();
      }
      classHead.hidden = label !== null;
      body.append(...page.terms.map((term) => rowOf(term, label === null)));
      nShown = offset + page.terms.length;
      isFilled = true;
      show(table, nShown > 0);
      show(more, nShown < page.total);
      more.textContent = `Show ${formatNumber(Math.min(PAGE, page.total - nShown))} more`;
      byId("terms-note").textContent = NOTE[label === null ? "all" : "one"] + orderNote;
      byId("terms-signs").textContent = signsNote([...body.rows].map((row) => row.cells[0].textContent));
      const part = nShown < page.total ? `, ${formatNumber(nShown)} shown` : "";
      byId("terms-state").textContent = page.total ? formatCount(page.total, "term") + part : "No matching terms.";
    } catch (reason) {
      if (signal.aborted) return;
      byId("terms-state").textContent = reason.message;
      if (reason.code === "unknown_label") reloadModel();
      if (reason instanceof api.Unreachable) api.whenBack(signal, () => load(offset));
    }
  };
  const reload = () => load(0);
  const reloadSoon = afterPause(reload, PAUSE);
  search.addEventListener("input", reloadSoon);
  classSelect.addEventListener("input", reload);
  more.addEventListener("click", () => load(nShown));
  byId("terms-form").addEventListener("submit", (event) => { event.preventDefault(); reload(); });

  return {
    /** Shows the classes and terms of another model. */
    setModel: ({ classes, analysis }) => {
      orderNote = analysis.char_ngram_range ? WORDS_FIRST : "";
      const before = classSelect.value;
      const options = classes.map(({ label }) => make("option", { value: labelKey(label) }, labelText(label)));
      classSelect.replaceChildren(make("option", { value: "" }, "All classes"), ...options);
      if ([...classSelect.options].some(({ value }) => value === before)) classSelect.value = before;
      if (isFilled) reload();
    },
    /** Loads the first terms when the tab is first selected. */
    loadFirst: () => { if (!isFilled) reload(); },
  };
};
