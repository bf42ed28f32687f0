// Column headings that sort a table: a click sorts by a column, another click turns the order around.

import { make } from "./dom.js";

const OPPOSITE = { ascending: "descending", descending: "ascending" };
const firstOrder = (kind) => (kind === "number" ? "descending" : "ascending");

const compare = (a, b, sign) => {
  if (a === null || b === null) return (a === null) - (b === null); // missing values come last
  return sign * (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
};

/**
 * Returns the headings of columns. A column is `{title, kind, value(row), order}`: `kind` is "text" or "number", and
 * `value` is for sorting; a column without it does not sort. `order` is given for a column by which the rows are sorted
 * already. Calls `onSort(compareRows)` at a click.
 */
export const sortingHeads = (columns, onSort) => {
  const heads = columns.map(({ title, kind, value, order }) => {
    const head = make("th", { class: kind, scope: "col", ...(order ? { "aria-sort": order } : {}) });
    if (!value) {
      head.append(title);
      return head;
    }
    const sort = () => {
      const newOrder = OPPOSITE[head.getAttribute("aria-sort")] ?? firstOrder(kind);
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", newOrder);
      const sign = newOrder === "ascending" ? 1 : -1;
      onSort((a, b) => compare(value(a), value(b), sign));
    };
    head.append(make("button", { type: "button", class: "sorter", on: { click: sort } }, title));
    return head;
  });
  return heads;
};
