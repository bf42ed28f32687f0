// Tables of numbers that can be sorted by their columns.

import { make } from "./dom.js";

const firstOf = (kind) => (kind.startsWith("number") ? "descending" : "ascending");
const OTHER = { ascending: "descending", descending: "ascending" };

const compared = (one, other, sign) => {
  if (one === null || other === null) return (one === null) - (other === null); // what has no value comes last
  return sign * (typeof one === "string" ? one.localeCompare(other, "en", { numeric: true }) : one - other);
};

/**
 * A table of rows. A column is `{title, kind, value(row), cell(row)}`: what it is sorted by, and
 * what is shown; its kind begins with "text" or "number", and is its class. Rows are at first as they come.
 */
export const sortableTable = (caption, columns, rows) => {
  const body = make("tbody");
  const line = (row) => make("tr", {}, columns.map((column, at) =>
    make(at ? "td" : "th", { class: column.kind, ...(at ? {} : { scope: "row" }) }, column.cell(row))));
  const fill = (sorted) => body.replaceChildren(...sorted.map(line));
  const heads = columns.map((column) => {
    const head = make("th", { class: column.kind, scope: "col" });
    head.append(make("button", { type: "button", class: "sorter", on: { click: () => {
      const order = OTHER[head.getAttribute("aria-sort")] ?? firstOf(column.kind);
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      fill([...rows].sort((one, other) => compared(column.value(one), column.value(other), sign)));
    } } }, column.title));
    return head;
  });
  fill(rows);
  return make("div", { class: "scroll" },
    make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, heads)), body));
};
