// What was found for the documents of a file, as it is shown: how many each class has, and the first rows.

import { bar, counted, labelText, make, percent, written } from "./dom.js";
import { countsOf, labelsOf } from "./predictions.js";

const ROWS = 200; // that are shown
const CLIP = 160; // characters of a text in them

const clipped = (value) => (String(value).length > CLIP ? `${String(value).slice(0, CLIP)} …` : String(value));

const classCell = (prediction) => {
  const names = labelsOf(prediction).map(labelText).join(", ") || "no class";
  return prediction.unknown ? [names, make("span", { class: "note block" }, "no term of it is known")] : names;
};
const scoreCell = ({ score, scores, probability }) => {
  if (score === undefined) return Object.values(scores ?? {}).map((each) => written(each, 3)).join(", ");
  return typeof probability === "number" ? `${percent(probability)} (${written(score, 3)})` : written(score, 3);
};

const lineOf = (text, place, { prediction, fault }) => {
  const answer = prediction
    ? [make("td", { class: "text" }, classCell(prediction)), make("td", { class: "number" }, scoreCell(prediction))]
    : [make("td", { class: "text failed", colspan: "2" }, fault ?? "waiting")];
  return make("tr", {},
    make("td", { class: "number" }, written(place + 1)),
    make("td", { class: "text clip" }, make("span", { class: "clamp" }, clipped(text))),
    answer);
};

/** The first documents of a table, of which one column has the texts, and what was found for them. */
export const previewOf = ({ rows }, column, found) => {
  const all = counted(rows.length, "document");
  const words = rows.length > ROWS ? `The first ${written(ROWS)} of ${all}; the download has all.` : all;
  const heads = [["", "number"], ["Text", "text"], ["Class", "text"], ["Score", "number"]];
  const head = make("tr", {}, heads.map(([title, kind]) => make(title ? "th" : "td", { class: kind }, title)));
  const lines = rows.slice(0, ROWS).map((row, place) => lineOf(row[column], place, found[place]));
  const about = { class: "scroll", tabindex: "0", role: "region", "aria-label": "Documents and their classes" };
  return make("div", about, make("table", { class: "preview" },
    make("caption", {}, words), make("thead", {}, head), make("tbody", {}, lines)));
};

/** How many documents each class has, and how many failed. */
export const countTable = (found) => {
  const counts = countsOf(found), most = counts[0]?.[1] ?? 1, failed = found.filter(({ fault }) => fault).length;
  const lines = counts.map(([name, count]) => make("tr", {},
    make("th", { scope: "row", class: "text" }, name),
    make("td", { class: "number" }, written(count)),
    make("td", { class: "bars" }, bar(count / most))));
  const wrong = `${counted(failed, "document was", "documents were")} not classified; the column “error” says why.`;
  return make("div", {},
    make("table", { class: "counts" },
      make("caption", { class: "hidden" }, "Documents in each class"), make("tbody", {}, lines)),
    failed ? make("p", { class: "fault" }, wrong) : null);
};
