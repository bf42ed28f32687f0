// A file of documents: read here, classified part by part, shown, counted, and given back as a table.

import * as api from "./api.js";
import { predictAll } from "./batches.js";
import { csvText } from "./csv.js";
import { documentsOf, textColumnOf } from "./documents.js";
import { bar, byId, counted, labelText, make, percent, show, written } from "./dom.js";
import { download, takeFiles, textOf } from "./files.js";
import { countsOf, joinOf, labelsOf, tableWith } from "./predictions.js";

const PREVIEW = 200; // rows
const CLIP = 160; // characters of a text in them
const EVERY = 200; // milliseconds between two drawings while it runs
const CANCELLED = "not classified: cancelled";

const clipped = (value) => (String(value).length > CLIP ? `${String(value).slice(0, CLIP)} …` : String(value));

const classCell = (prediction) => {
  const names = labelsOf(prediction).map(labelText).join(", ") || "no class";
  return prediction.unknown ? [names, make("span", { class: "note block" }, "no term of it is known")] : names;
};
const scoreCell = ({ score, scores, probability }) => {
  if (score === undefined) return Object.values(scores ?? {}).map((each) => written(each, 3)).join(", ");
  return probability === undefined || probability === null ? written(score, 3) : `${percent(probability)} (${written(score, 3)})`;
};

const previewOf = (table, column, found) => {
  const line = (row, place) => {
    const { prediction, fault } = found[place];
    const answer = prediction
      ? [make("td", { class: "text" }, classCell(prediction)), make("td", { class: "number" }, scoreCell(prediction))]
      : [make("td", { class: "text failed", colspan: "2" }, fault ?? "waiting")];
    return make("tr", {}, make("td", { class: "number" }, written(place + 1)), make("td", { class: "text clip" }, make("span", { class: "clamp" }, clipped(row[column]))), answer);
  };
  const heads = [["", "number"], ["Text", "text"], ["Class", "text"], ["Score", "number"]];
  const words = table.rows.length > PREVIEW ? `The first ${written(PREVIEW)} of ${counted(table.rows.length, "document")}; the download has all.` : counted(table.rows.length, "document");
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Documents and their classes" }, make("table", { class: "preview" }, make("caption", {}, words),
    make("thead", {}, make("tr", {}, heads.map(([title, kind]) => make(title ? "th" : "td", { class: kind }, title)))),
    make("tbody", {}, table.rows.slice(0, PREVIEW).map(line))));
};

const countTable = (found) => {
  const counts = countsOf(found), most = counts[0]?.[1] ?? 1, failed = found.filter(({ fault }) => fault).length;
  const line = ([name, count]) => make("tr", {}, make("th", { scope: "row", class: "text" }, name), make("td", { class: "number" }, written(count)), make("td", { class: "bars" }, bar(count / most)));
  return make("div", {}, make("table", { class: "counts" }, make("caption", { class: "hidden" }, "Documents in each class"), make("tbody", {}, counts.map(line))),
    failed ? make("p", { class: "fault" }, `${counted(failed, "document was", "documents were")} not classified; the column “error” says why.`) : null);
};

export const useFile = () => {
  let model = null, name = "", content = "", table = null, found = [], column = 0, running = null;
  const state = (words) => { byId("file-state").textContent = words ?? ""; };
  const fault = (words) => {
    byId("file-fault").textContent = words ?? "";
    show(byId("file-fault"), Boolean(words));
  };

  const describe = () => {
    const rows = table.rows.length;
    byId("file-about").replaceChildren(make("b", {}, name), ` is ${table.kind}: ${counted(rows, "document")}.`);
    byId("file-warning").textContent = table.warning ?? "";
    show(byId("file-warning"), table.warning !== null);
    byId("file-column").replaceChildren(...table.columns.map((each, at) => make("option", { value: String(at) }, each)));
    byId("file-column").value = String(column);
    byId("file-names").checked = table.hasNames === true;
    show(byId("file-names-label"), table.hasNames !== null);
    byId("file-start").textContent = `Classify ${counted(rows, "document")}`;
    byId("file-start").disabled = rows === 0;
    show(byId("file-chosen"), true);
    show(byId("file-result"), false);
    show(byId("file-running"), false);
    state("");
  };
  const read = (hasNames) => {
    table = documentsOf(name, content, hasNames);
    column = textColumnOf(table);
    describe();
  };
  const stop = () => {
    running?.abort();
    running = null;
    show(byId("file-cancel"), false);
  };
  const taken = async (file) => {
    stop();
    fault(null);
    try {
      content = await textOf(file);
      name = file.name;
      read(null);
    } catch (reason) {
      show(byId("file-chosen"), false);
      show(byId("file-result"), false);
      fault(reason.message);
    }
  };

  const draw = (done) => {
    byId("file-progress").value = done;
    byId("file-counts").replaceChildren(countTable(found));
  };
  const drawAll = () => {
    draw(found.filter(({ prediction, fault: each }) => prediction || each).length);
    const join = joinOf(model.classes);
    const several = model.labels === "one" ? "" : ` Several classes of a document are in one cell, with ${join === "\n" ? "a line break" : `“${join}”`} between them.`;
    byId("file-note").textContent = "All columns of the file, and the class, its score, and what went wrong. Cells of your file that begin with = + - @ or a tab get an apostrophe before them, "
      + `so that no spreadsheet takes them for a formula; numbers are left alone.${several}`;
    byId("file-preview").replaceChildren(previewOf(table, column, found));
    show(byId("file-result"), true);
  };

  const start = async () => {
    if (model === null || running) return;
    const own = new AbortController(), rows = table.rows.length, isOver = () => running !== own;
    running = own;
    found = table.rows.map(() => ({ prediction: null, fault: null }));
    let done = 0, drawn = 0, said = "";
    state("");
    byId("file-progress").max = rows;
    show(byId("file-running"), true);
    show(byId("file-cancel"), true);
    byId("file-start").disabled = true;
    show(byId("file-result"), false);
    const tell = (place, prediction, wrong) => {
      if (isOver()) return;
      found[place] = { prediction, fault: wrong };
      done += 1;
      if (performance.now() - drawn < EVERY && done < rows) return;
      drawn = performance.now();
      draw(done);
      byId("file-done").textContent = `${written(done)} of ${written(rows)}`;
    };
    const wait = (sentence) => {
      if (sentence !== said) state(sentence ?? "");
      said = sentence;
    };
    const texts = table.rows.map((row) => (typeof row[column] === "string" ? row[column] : row[column] === "" ? "" : String(row[column])));
    let end = () => `Done: ${counted(rows, "document")} classified.`;
    try {
      await predictAll({ texts, faults: table.faults, limits: model.limits, predict: api.predict, tell, wait, signal: own.signal });
      const failed = found.filter((each) => each.fault).length;
      if (failed) end = () => `Done: ${counted(rows - failed, "document")} classified, ${written(failed)} not.`;
    } catch (reason) {
      if (isOver()) return;
      const words = own.signal.aborted ? CANCELLED : `not classified: ${reason.message}`;
      found = found.map((each) => (each.prediction || each.fault ? each : { prediction: null, fault: words }));
      end = () => (own.signal.aborted ? `Cancelled after ${written(done)} of ${counted(rows, "document")}.` : `Stopped after ${written(done)} of ${counted(rows, "document")}. ${reason.message}`);
    }
    if (isOver()) return;
    running = null;
    show(byId("file-cancel"), false);
    byId("file-done").textContent = "";
    byId("file-start").disabled = false;
    drawAll();
    byId("file-progress").value = done;
    state(end());
    if (document.activeElement === document.body && !byId("file").hidden) byId("file-start").focus();
  };

  takeFiles(byId("file-drop"), byId("file-input"), taken);
  byId("file-names").addEventListener("change", () => read(byId("file-names").checked));
  byId("file-column").addEventListener("input", () => {
    column = Number(byId("file-column").value);
    show(byId("file-result"), false);
    state("");
  });
  byId("file-start").addEventListener("click", start);
  byId("file-cancel").addEventListener("click", () => running?.abort());
  byId("file-download").addEventListener("click", () => {
    const stem = name.replace(/\.[^.]*$/, "") || "documents";
    download(`${stem}-classified.csv`, csvText(tableWith(table, found, model)), "text/csv;charset=utf-8");
  });

  /** Another model answers from now on. */
  return (other) => { model = other; };
};
