// Classify a file with documents: read it, predict in batches, show and count the results, and download them.

import * as api from "./api.js";
import { predictAll } from "./batches.js";
import { csvText } from "./csv.js";
import { documentsOf, textColumnsOf, textOfRow } from "./documents.js";
import { announce, byId, formatCount, formatNumber, make, show } from "./dom.js";
import { useDocument } from "./document-view.js";
import { countTable, useFileTable } from "./file-table.js";
import { download, partsOf, takeFiles } from "./files.js";
import { joinOf, tableWith } from "./predictions.js";

const REDRAW = 200; // milliseconds between two updates of the page while it runs
const CANCELLED = "not classified: cancelled";
const noteOf = ({ multilabel, classes, probabilities }) => {
  const figures = probabilities ? "its score and probability" : "its score";
  const note = `The download has all columns of the file, the class, ${figures}, and the error if a document was not `
    + "classified. Cells that a spreadsheet would take for a formula get an apostrophe in front.";
  if (!multilabel) return note;
  const join = joinOf(classes), between = join === "\n" ? "a line break" : `“${join}”`;
  return `${note} A cell with more than one class separates them by ${between}.`;
};
/** Returns the problems of a file that are known before it is classified. */
const warningOf = ({ faults, warning }) => {
  const [first] = faults.values(), lines = formatCount(faults.size, "line");
  const unread = faults.size ? `${lines} can’t be read${faults.size > 1 ? ", the first" : ""}: ${first}.` : null;
  return [warning, unread].filter(Boolean).join(" ");
};
/** Returns the separator of the download: a spreadsheet that writes semicolons also reads them. */
const separatorFor = ({ separator }) => (separator === ";" ? ";" : ",");
const showMessage = (id, message) => {
  byId(id).textContent = message ?? "";
  show(byId(id), Boolean(message));
};

export const useFile = () => {
  let model = null, name = "", parts = [], content = "", table = null, results = [], columns = [0], running = null;
  let resultModel = null, nLoads = 0;
  const showState = (message) => { byId("file-state").textContent = message; };
  const openDocument = useDocument();
  const showTable = useFileTable((documents, place) => openDocument(resultModel, documents, place, results.length));

  const showSheets = () => show(byId("file-sheet-label"), parts.length > 1);
  /** Shows what the file is, and the controls to classify it. */
  const describe = () => {
    const rows = table.rows.length, isEmpty = content.length === 0 || content.trim?.() === "";
    const about = isEmpty ? " is empty." : ` is ${table.kind}: ${formatCount(rows, "document")}.`;
    byId("file-about").replaceChildren(make("b", {}, name), about);
    showMessage("file-warning", warningOf(table));
    showSheets();
    for (const id of ["file-column-label", "file-start"]) show(byId(id), !isEmpty);
    byId("file-column").replaceChildren(
      ...table.columns.map((title, index) => make("option", { value: String(index) }, title)));
    byId("file-column").value = String(columns[0]);
    showOtherColumns();
    byId("file-names").checked = table.hasNames === true;
    show(byId("file-names-label"), !isEmpty && table.hasNames !== null);
    byId("file-start").textContent = `Classify ${formatCount(rows, "document")}`;
    show(byId("file-chosen"), true);
    reset();
    announce(byId("file-about").textContent);
  };
  /** Hides the results, and lets the user start. */
  const reset = () => {
    byId("file-start").disabled = table.rows.length === 0;
    show(byId("file-result"), false);
    show(byId("file-running"), false);
    showState("");
  };
  /** Shows a check box for each column that can be joined to the first one. */
  const showOtherColumns = () => {
    const checkOf = (title, index) => {
      const box = make("input", { type: "checkbox", value: String(index) });
      box.checked = columns.includes(index);
      return index === columns[0] ? null : make("label", { class: "check" }, box, ` ${title}`);
    };
    byId("file-more-list").replaceChildren(...table.columns.map(checkOf).filter(Boolean));
    byId("file-more").open = columns.length > 1;
    show(byId("file-more"), table.columns.length > 1);
  };
  /** Reads the table of the file; `hasNames` is whether its first row has the column names, or null to detect this. */
  const read = (hasNames) => {
    stop();
    table = documentsOf(name, content, hasNames);
    columns = textColumnsOf(table, model?.text_columns ?? []);
    describe();
  };
  const stop = () => {
    running?.abort();
    running = null;
    show(byId("file-cancel"), false);
  };
  /** Shows a fault, and of the file no more than the list of its sheets, so that the reader can choose another one. */
  const showFault = (message) => {
    stop();
    if (parts.length > 1) {
      byId("file-about").replaceChildren(make("b", {}, name));
      showSheets();
      for (const id of ["file-column-label", "file-names-label", "file-more", "file-start", "file-running"]) {
        show(byId(id), false);
      }
      showMessage("file-warning", null);
      showState("");
    }
    show(byId("file-chosen"), parts.length > 1);
    show(byId("file-result"), false);
    showMessage("file-fault", message);
  };
  /** Uses the parts of another file from now on. */
  const useParts = (newName, newParts) => {
    [name, parts] = [newName, newParts];
    byId("file-sheet").replaceChildren(
      ...parts.map((part, index) => make("option", { value: String(index) }, part.name ?? "")));
  };
  /** Reads one of the parts that `open` promises, and shows it or a fault, unless a newer call has begun.
   *
   * Until then, the page keeps the file that it has.
   */
  const take = async (newName, open, index) => {
    nLoads += 1;
    const number = nLoads;
    let newParts = [], newContent = null, fault = null;
    stop();
    showMessage("file-fault", null);
    try {
      newParts = await open();
      newContent = await newParts[index].read();
    } catch (reason) {
      fault = reason;
    }
    if (number !== nLoads) return;
    showMessage("file-reading", null);
    if (newParts !== parts) useParts(newName, newParts);
    try {
      if (fault) throw fault;
      content = newContent;
      read(null);
    } catch (reason) {
      showFault(reason.message);
    }
  };
  const takeFile = (file) => {
    showMessage("file-reading", `Reading ${file.name} …`); // a large Excel file takes seconds
    return take(file.name, () => partsOf(file), 0);
  };
  const takeSheet = () => {
    const chosenParts = parts;
    return take(name, () => Promise.resolve(chosenParts), Number(byId("file-sheet").value));
  };

  const textsOf = () => table.rows.map((row) => textOfRow(row, columns));
  const draw = (done) => {
    byId("file-progress").value = done;
    byId("file-counts").replaceChildren(countTable(textsOf(), results));
  };
  const begin = (rows) => {
    results = table.rows.map(() => ({ prediction: null, fault: null }));
    byId("file-progress").max = rows;
    byId("file-progress").value = 0;
    byId("file-start").disabled = true;
    show(byId("file-running"), true);
    show(byId("file-cancel"), true);
    show(byId("file-result"), false);
    showState("");
  };
  const end = (done, message) => {
    running = null;
    show(byId("file-cancel"), false);
    byId("file-start").disabled = false;
    byId("file-done").textContent = "";
    byId("file-note").textContent = noteOf(model);
    showTable(textsOf(), results, resultModel);
    draw(done);
    show(byId("file-result"), true);
    showState(message);
    const isFocusLost = document.activeElement === document.body && !byId("file").hidden;
    if (isFocusLost) byId("file-start").focus(); // a disabled button has lost the focus
  };

  /** Classifies all documents. A run is over once another one or another file has begun; its responses are ignored. */
  const start = async () => {
    if (model === null || running) return;
    const controller = new AbortController(), rows = table.rows.length, isOver = () => running !== controller;
    running = controller;
    resultModel = model;
    begin(rows);
    let done = 0, lastDrawn = 0, waitMessage = null;
    const onResult = (index, prediction, fault) => {
      if (isOver()) return;
      results[index] = { prediction, fault };
      done += 1;
      if (performance.now() - lastDrawn < REDRAW && done < rows) return;
      lastDrawn = performance.now();
      draw(done);
      byId("file-done").textContent = `${formatNumber(done)} of ${formatNumber(rows)}`;
    };
    const onWait = (message) => {
      if (message !== waitMessage && !isOver()) showState(message ?? "");
      waitMessage = message;
    };
    const options = { texts: textsOf(), faults: table.faults, limits: model.limits, signal: controller.signal };
    try {
      await predictAll({ ...options, predict: api.predict, onResult, onWait });
      if (isOver()) return;
      const nFailed = results.filter(({ fault }) => fault).length;
      const failures = nFailed ? `, ${formatNumber(nFailed)} not` : "";
      end(done, `Done: ${formatCount(rows - nFailed, "document")} classified${failures}.`);
    } catch (reason) {
      if (isOver()) return;
      const isCancelled = controller.signal.aborted;
      const fault = isCancelled ? CANCELLED : `not classified: ${reason.message}`;
      const unfinished = { prediction: null, fault, isCancelled };
      results = results.map((result) => (result.prediction || result.fault ? result : unfinished));
      const remaining = formatCount(rows - done, "document was", "documents were");
      const stopMessage = `Stopped after ${formatNumber(done)} of ${formatCount(rows, "document")}. ${reason.message}`;
      end(done, isCancelled ? `Cancelled: ${remaining} not classified.` : stopMessage);
    }
  };

  takeFiles(byId("file-drop"), byId("file-input"), takeFile);
  byId("file-sheet").addEventListener("input", takeSheet);
  byId("file-names").addEventListener("change", () => read(byId("file-names").checked));
  byId("file-column").addEventListener("input", () => {
    stop();
    columns = [Number(byId("file-column").value)];
    describe();
  });
  byId("file-more").addEventListener("change", ({ target }) => {
    stop();
    const index = Number(target.value), others = columns.filter((column) => column !== index);
    columns = target.checked ? [...others, index] : others;
    reset();
  });
  byId("file-start").addEventListener("click", start);
  byId("file-cancel").addEventListener("click", () => running?.abort());
  byId("file-download").addEventListener("click", () => {
    const stem = name.replaceAll(".", "-"); // so that inbox.csv and inbox.jsonl get different names
    const text = csvText(tableWith(table, results, model), separatorFor(table));
    download(`${stem}-classified.csv`, text, "text/csv;charset=utf-8");
  });

  /** Uses another model from now on. */
  return (newModel) => { model = newModel; };
};
