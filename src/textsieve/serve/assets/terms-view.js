// The terms of the model: of one class, the strongest first, or all, the best first; searchable.

import * as api from "./api.js";
import { afterPause, bar, byId, counted, labelKey, labelParts, labelText, make, show, written } from "./dom.js";

const PAGE = 50; // terms that are asked for at once
const PAUSE = 250;

const NOTE = {
  one: "The strongest for the class first: the larger the number, the more a term speaks for it.",
  all: "In the order in which they were chosen for the model, each with the class for which it speaks most.",
};

/** `renew` asks for the model again: a class that the server does not know is of an older one. */
export const useTerms = (renew) => {
  const chosen = byId("terms-class"), search = byId("terms-search"), more = byId("terms-more");
  let shown = 0, largest = 0, current = new AbortController(), isFilled = false;
  const body = make("tbody");
  const classHead = make("th", { scope: "col", class: "text" }, "Speaks most for");
  const table = make("table", { class: "terms" }, make("caption", { class: "hidden" }, "Terms"),
    make("thead", {}, make("tr", {},
      make("th", { scope: "col", class: "text" }, "Term"),
      classHead,
      make("th", { scope: "col", class: "number" }, "Strength"),
      make("td", { class: "bars" }))),
    body);
  byId("terms-list").replaceChildren(make("div", { class: "scroll" }, table));

  const rowOf = ({ term, label, strength }, isAll) => make("tr", {},
    make("th", { scope: "row", class: "text" }, term),
    isAll ? make("td", { class: "text" }, labelParts(label)) : null,
    make("td", { class: "number" }, written(strength, 3)),
    make("td", { class: "bars" }, bar(largest > 0 ? strength / largest : 0, { kind: "for" })));

  const load = async (offset) => {
    current.abort();
    current = new AbortController();
    const { signal } = current;
    const label = chosen.value === "" ? null : JSON.parse(chosen.value), q = search.value.trim();
    try {
      const found = await api.terms({ label, q, n: PAGE, offset }, signal);
      if (signal.aborted) return;
      if (offset === 0) {
        largest = Math.max(0, ...found.terms.map(({ strength }) => strength));
        body.replaceChildren();
      }
      classHead.hidden = label !== null;
      body.append(...found.terms.map((each) => rowOf(each, label === null)));
      shown = offset + found.terms.length;
      isFilled = true;
      show(table, shown > 0);
      show(more, shown < found.total);
      more.textContent = `Show ${written(Math.min(PAGE, found.total - shown))} more`;
      byId("terms-note").textContent = NOTE[label === null ? "all" : "one"];
      const some = shown < found.total ? `, ${written(shown)} shown` : "";
      byId("terms-state").textContent = found.total ? counted(found.total, "term") + some : "No term contains that.";
    } catch (reason) {
      if (signal.aborted) return;
      byId("terms-state").textContent = reason.message;
      if (reason.code === "unknown_label") renew();
      if (reason instanceof api.Unreachable) api.whenBack(signal, () => load(offset));
    }
  };
  const again = () => load(0);
  const soon = afterPause(again, PAUSE);
  search.addEventListener("input", soon);
  chosen.addEventListener("input", again);
  more.addEventListener("click", () => load(shown));
  byId("terms-form").addEventListener("submit", (event) => { event.preventDefault(); again(); });

  return {
    /** Another model has other classes and terms. */
    setModel: ({ classes }) => {
      const before = chosen.value;
      const options = classes.map(({ label }) => make("option", { value: labelKey(label) }, labelText(label)));
      chosen.replaceChildren(make("option", { value: "" }, "All classes"), ...options);
      if ([...chosen.options].some(({ value }) => value === before)) chosen.value = before;
      if (isFilled) again();
    },
    /** Asks for the first terms when they are first seen. */
    seen: () => { if (!isFilled) again(); },
  };
};
