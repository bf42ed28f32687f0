// A file of documents: read here, classified part by part, shown, counted, and given back as a table.

import * as api from "./api.js";
import { predictAll } from "./batches.js";
import { csvText } from "./csv.js";
import { documentsOf, textColumnOf } from "./documents.js";
import { byId, counted, make, show, speak, written } from "./dom.js";
import { countTable, previewOf } from "./file-table.js";
import { download, takeFiles, textOf } from "./files.js";
import { joinOf, tableWith } from "./predictions.js";

const EVERY = 200; // milliseconds between two drawings while it runs
const CANCELLED = "not classified: cancelled";
const NOTE = "All columns of the file as they were, and the class, its score, and what went wrong. Cells that begin "
  + "with = + - @, after blanks or not, or with a tab, get an apostrophe before them, so that no spreadsheet takes "
  + "them for a formula; numbers are left alone.";

const noteOf = ({ labels, classes }) => {
  if (labels === "one") return NOTE;
  const join = joinOf(classes), between = join === "\n" ? "a line break" : `“${join}”`;
  return `${NOTE} Several classes of a document are in one cell, with ${between} between them.`;
};
/** What is wrong with a file before it is classified. */
const warningOf = ({ faults, warning }) => {
  const [first] = faults.values(), many = counted(faults.size, "line");
  const unread = faults.size ? `${many} can’t be read${faults.size > 1 ? ", the first" : ""}: ${first}.` : null;
  return [warning, unread].filter(Boolean).join(" ");
};
/** Spreadsheets that write semicolons read semicolons. */
const separatorFor = ({ separator }) => (separator === ";" ? ";" : ",");
const say = (id, words) => {
  byId(id).textContent = words ?? "";
  show(byId(id), Boolean(words));
};

export const useFile = () => {
  let model = null, name = "", content = "", table = null, found = [], column = 0, running = null;
  const state = (words) => { byId("file-state").textContent = words; };

  const describe = () => {
    const rows = table.rows.length, isEmpty = content.trim() === "";
    const words = isEmpty ? " is empty." : ` is ${table.kind}: ${counted(rows, "document")}.`;
    byId("file-about").replaceChildren(make("b", {}, name), words);
    say("file-warning", warningOf(table));
    for (const id of ["file-columns", "file-start"]) show(byId(id), !isEmpty);
    byId("file-column").replaceChildren(
      ...table.columns.map((each, at) => make("option", { value: String(at) }, each)));
    byId("file-column").value = String(column);
    byId("file-names").checked = table.hasNames === true;
    show(byId("file-names-label"), table.hasNames !== null);
    byId("file-start").textContent = `Classify ${counted(rows, "document")}`;
    byId("file-start").disabled = rows === 0;
    show(byId("file-chosen"), true);
    show(byId("file-result"), false);
    show(byId("file-running"), false);
    state("");
    speak(byId("file-about").textContent);
  };
  const read = (hasNames) => {
    stop();
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
    say("file-fault", null);
    try {
      content = await textOf(file);
      name = file.name;
      read(null);
    } catch (reason) {
      show(byId("file-chosen"), false);
      show(byId("file-result"), false);
      say("file-fault", reason.message);
    }
  };

  const textsOf = () => table.rows.map((row) => row[column]);
  const draw = (done) => {
    byId("file-progress").value = done;
    byId("file-counts").replaceChildren(countTable(textsOf(), found));
  };
  const begin = (rows) => {
    found = table.rows.map(() => ({ prediction: null, fault: null }));
    byId("file-progress").max = rows;
    byId("file-progress").value = 0;
    byId("file-start").disabled = true;
    show(byId("file-running"), true);
    show(byId("file-cancel"), true);
    show(byId("file-result"), false);
    state("");
  };
  const end = (done, words) => {
    running = null;
    show(byId("file-cancel"), false);
    byId("file-start").disabled = false;
    byId("file-done").textContent = "";
    byId("file-note").textContent = noteOf(model);
    byId("file-preview").replaceChildren(previewOf(table, column, found));
    draw(done);
    show(byId("file-result"), true);
    state(words);
    const isLost = document.activeElement === document.body && !byId("file").hidden;
    if (isLost) byId("file-start").focus(); // a disabled button lost the keyboard
  };

  const start = async () => {
    if (model === null || running) return;
    const own = new AbortController(), rows = table.rows.length, isOver = () => running !== own;
    running = own;
    begin(rows);
    let done = 0, drawn = 0, said = null;
    const tell = (place, prediction, fault) => {
      if (isOver()) return;
      found[place] = { prediction, fault };
      done += 1;
      if (performance.now() - drawn < EVERY && done < rows) return;
      drawn = performance.now();
      draw(done);
      byId("file-done").textContent = `${written(done)} of ${written(rows)}`;
    };
    const wait = (sentence) => {
      if (sentence !== said && !isOver()) state(sentence ?? "");
      said = sentence;
    };
    const about = { texts: textsOf(), faults: table.faults, limits: model.limits, signal: own.signal };
    try {
      await predictAll({ ...about, predict: api.predict, tell, wait });
      if (isOver()) return;
      const failed = found.filter(({ fault }) => fault).length;
      end(done, `Done: ${counted(rows - failed, "document")} classified${failed ? `, ${written(failed)} not` : ""}.`);
    } catch (reason) {
      if (isOver()) return;
      const isCancelled = own.signal.aborted, fault = isCancelled ? CANCELLED : `not classified: ${reason.message}`;
      found = found.map((each) => (each.prediction || each.fault ? each : { prediction: null, fault, isCancelled }));
      const left = counted(rows - done, "document was", "documents were");
      const stopped = `Stopped after ${written(done)} of ${counted(rows, "document")}. ${reason.message}`;
      end(done, isCancelled ? `Cancelled: ${left} not classified.` : stopped);
    }
  };

  takeFiles(byId("file-drop"), byId("file-input"), taken);
  byId("file-names").addEventListener("change", () => read(byId("file-names").checked));
  byId("file-column").addEventListener("input", () => {
    stop();
    column = Number(byId("file-column").value);
    describe();
  });
  byId("file-start").addEventListener("click", start);
  byId("file-cancel").addEventListener("click", () => running?.abort());
  byId("file-download").addEventListener("click", () => {
    const stem = name.replaceAll(".", "-"); // inbox.csv and inbox.jsonl are two files
    const text = csvText(tableWith(table, found, model), separatorFor(table));
    download(`${stem}-classified.csv`, text, "text/csv;charset=utf-8");
  });

  /** Another model answers from now on. */
  return (other) => { model = other; };
};
