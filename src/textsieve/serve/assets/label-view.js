// Label the documents of a list: the text with its terms marked, the classes with keys, and where the labels go.
//
// Keys work while the focus is in the card of the document, so that they never surprise a reader elsewhere. With at
// most nine classes, each class always has the same key. With more, the nine best classes of a document have the keys.

import * as api from "./api.js";
import { byReader, useOfCorrections } from "./command-line.js";
import { documentsOf } from "./documents.js";
import {
  announce, beginningOf, byId, formatCount, formatNumber, formatPercent, isNumber, labelKey, labelParts, labelText,
  make, show,
} from "./dom.js";
import { download, partsOf, takeFiles } from "./files.js";
import { documentsToLabel, labelList } from "./label-list.js";
import { useMarked } from "./marked-view.js";
import { signsOf } from "./result-text.js";

const N_KEYS = 9;
const MAX_FOUND = 100; // other classes that are shown
const SAVES = "This server saves each label in its corrections file.";
const SAVES_NOT = "This server does not save labels (it runs without --feedback): download them when you are done, for "
  + "textsieve train or textsieve update.";
const SAVES_NOT_ELSEWHERE = "This server does not save labels: download them when you are done, and give them to the "
  + "owner of the model.";
const PASSING = new Set([401, 408, 429]); // no token, too slow, or too many requests: a later attempt may succeed
const NO_TEXTS = "has no texts to label.";

const namesOf = (labels) => labels.map((label) => `“${labelText(label)}”`).join(", ") || "none of the classes";
const showMessage = (id, message) => {
  byId(id).textContent = message ?? "";
  show(byId(id), Boolean(message));
};

/** Returns the classes with keys, and the others; `explained` are those of an explanation, the best first, or null. */
export const choicesOf = ({ classes }, explained) => {
  if (classes.length > N_KEYS) {
    const bestFirst = explained ?? classes;
    return [bestFirst.slice(0, N_KEYS), bestFirst.slice(N_KEYS)];
  }
  const byKey = new Map((explained ?? []).map((cls) => [labelKey(cls.label), cls]));
  return [classes.map(({ label }) => byKey.get(labelKey(label)) ?? { label }), []];
};
/** Returns what the marks mean; null is the explanation of a text that the server rejected. */
const legendOf = (explanation) => {
  if (explanation === null) return "The server could not explain this text.";
  if (!explanation.contributions.length) return "The model knows no term of this text.";
  return `Underlined terms speak for “${labelText(explanation.label)}”, those with a dashed line against it.`;
};
/** Returns whether the server will never save this label, such as one of a text that is too long. */
const isRejection = (reason) => reason instanceof api.ApiError
  && reason.status >= 400 && reason.status < 500 && !PASSING.has(reason.status);
const keysNote = ({ classes, multilabel }) => {
  const digits = `1 to ${Math.min(classes.length, N_KEYS)}`;
  const start = multilabel
    ? `${digits} to switch classes on or off, Enter to confirm`
    : `${digits} for the classes, 0 for none of them`;
  return `Keys: ${start}, S to skip, Z or Backspace to go back.`;
};

export const useLabelling = () => {
  const work = byId("label-work"), search = byId("label-search");
  let model = null, name = "", list = null, isDownloaded = false, nLoads = 0;
  let groups = [[], []]; // the classes with keys, and the others
  let shown = null, isExplained = false; // the entry of the shown document, and whether its explanation has arrived
  let chosen = new Set(), switched = new Map(); // of a multilabel document: its classes, and those the reader switched
  let sending = Promise.resolve(); // ends when all labels that were saved so far are sent
  let current = new AbortController(); // cancels the explanation of the shown document
  let ahead = null; // the explanation of the next document, which is requested in advance: `{entry, explanation}`
  const showMarked = useMarked("label-");
  const showState = (message) => { byId("label-state").textContent = message; };

  // -- saving

  const correctionOf = ({ text, labels }) => (model.multilabel ? { text, labels } : { text, label: labels[0] ?? null });
  const faultOf = ({ text }, message) => `${beginningOf(text)} was not saved: ${message}`;
  const showRejected = () => {
    const entries = list.rejected(), last = entries.at(-1), nOthers = entries.length - 1;
    const others = nOthers > 0 ? ` Not saved either: ${formatCount(nOthers, "other label")}.` : "";
    showMessage("label-fault", last ? faultOf(last, last.fault) + others : null);
  };
  /** Sends labels, one after the other. Those that the server rejects get a fault; others that fail are sent later. */
  const save = (isLeaving = false) => {
    const target = list;
    sending = sending.then(async () => {
      for (const entry of model.feedback ? target.toSend(isLeaving) : []) {
        const { labels, sent } = entry;
        if (labels === null) continue; // undone while another label was sent
        try {
          entry.sent = labels; // from now on, undo says that it was sent
          await api.correct(correctionOf({ text: entry.text, labels }));
        } catch (reason) {
          entry.sent = sent;
          if (!isRejection(reason)) {
            showMessage("label-fault", faultOf(entry, reason.message));
            return;
          }
          if (entry.labels === labels) entry.fault = reason.message; // otherwise, it has another label by now
        }
      }
      if (target !== list) return;
      showRejected();
      showProgress();
    });
    return sending;
  };

  // -- the document

  const showProgress = () => {
    const nLabelled = list.nLabelled(), position = list.position(), isOver = list.entry() === null;
    const counts = `${formatNumber(nLabelled)} labelled, ${formatNumber(list.nSkipped())} skipped`;
    byId("label-title").textContent = isOver
      ? `All ${formatCount(list.size, "document")} done: ${counts}`
      : `${formatNumber(position + 1)} of ${formatNumber(list.size)}`;
    byId("label-progress").max = list.size;
    byId("label-progress").value = position;
    byId("label-undo").disabled = !list.canUndo();
    byId("label-download").disabled = nLabelled === 0;
    for (const id of ["label-skip", "label-document"]) show(byId(id), !isOver);
    show(byId("label-none"), !isOver && !model.multilabel);
    show(byId("label-confirm"), !isOver && model.multilabel);
  };
  const choiceButton = ({ label, probability, predicted }, index) => {
    const key = labelKey(label), hasKey = index < N_KEYS;
    const tick = predicted ? make("span", { class: "hidden" }, " (predicted)") : null;
    return make("button", {
      type: "button",
      class: predicted ? "is-predicted" : "",
      "data-key": key,
      ...(hasKey ? { "aria-keyshortcuts": String(index + 1) } : {}),
      ...(model.multilabel ? { "aria-pressed": String(chosen.has(key)) } : {}),
    },
    hasKey ? make("kbd", { class: "keys", "aria-hidden": "true" }, String(index + 1)) : null,
    make("span", { class: "name" }, labelParts(label), tick),
    isNumber(probability) ? make("span", { class: "muted" }, formatPercent(probability, 0)) : null);
  };
  const foundClasses = () => {
    const query = search.value.trim().toLowerCase();
    return groups[1].filter(({ label }) => labelText(label).toLowerCase().includes(query)).slice(0, MAX_FOUND);
  };
  const drawClasses = () => {
    byId("label-classes").replaceChildren(...groups[0].map(choiceButton));
    byId("label-found").replaceChildren(...foundClasses().map((cls) => choiceButton(cls, N_KEYS)));
    show(byId("label-others"), groups[1].length > 0);
    const number = chosen.size ? formatCount(chosen.size, "class", "classes") : "no class";
    byId("label-confirm").textContent = `Confirm ${number}`;
  };
  /** Switches classes as the reader did, whatever is predicted. */
  const applySwitched = () => {
    for (const [key, isOn] of switched) {
      if (isOn) chosen.add(key);
      else chosen.delete(key);
    }
  };
  const setChosen = (labels) => {
    chosen = new Set(labels.map(labelKey));
    applySwitched();
  };
  /** Sets whether the explanation has arrived or failed: before that, nobody can confirm the predicted classes. */
  const setExplained = (isSo) => {
    isExplained = isSo;
    byId("label-confirm").disabled = !isSo;
  };
  /** Returns the explanation of an entry; errors become null, because a document can be labelled without marks. */
  const explain = (entry, signal) => api.explain(entry.text, null, signal).catch(() => null);
  /** Shows the current document at once, and its marks and classes when its explanation arrives. */
  const showDocument = async () => {
    current.abort();
    current = new AbortController();
    const { signal } = current, entry = list.entry();
    const known = new Set(model.classes.map(({ label }) => labelKey(label)));
    switched = new Map(entry === shown ? [...switched].filter(([key]) => known.has(key)) : []);
    shown = entry;
    setExplained(false);
    showProgress();
    if (entry === null) return;
    byId("label-why").textContent = entry.why ?? "";
    byId("label-marked").replaceChildren(entry.text);
    byId("label-marked").scrollTop = 0;
    byId("label-legend").textContent = "";
    search.value = "";
    setChosen(entry.sent ?? []);
    groups = choicesOf(model, null);
    const explanation = ahead?.entry === entry ? ahead.explanation : explain(entry, signal);
    const isFixed = groups[1].length === 0;
    if (isFixed) drawClasses(); // otherwise, the keys depend on the explanation
    else groups = [[], []];
    const explained = await explanation;
    if (signal.aborted) return;
    if (explained) showMarked(entry.text, explained);
    byId("label-legend").textContent = legendOf(explained);
    byId("label-signs").textContent = explained ? signsOf(explained.contributions) : "";
    groups = choicesOf(model, explained?.classes);
    if (model.multilabel && entry.sent === null && explained) {
      setChosen(explained.classes.filter(({ predicted }) => predicted).map(({ label }) => label));
    }
    drawClasses();
    setExplained(true);
    const next = list.entry(1);
    if (next) ahead = { entry: next, explanation: explain(next, null) };
  };

  // -- decisions

  /** Saves the last decision, and shows the next document. */
  const goOn = (message) => {
    isDownloaded = false;
    save();
    showState(message);
    showDocument();
    work.focus({ preventScroll: true });
    announce(`${message} ${byId("label-title").textContent}`);
  };
  const confirm = (labels) => {
    list.label(labels);
    goOn(`Labelled: ${namesOf(labels)}.`);
  };
  /** Labels a single-label document, or switches a class of a multilabel document on or off. */
  const choose = (key) => {
    if (!model.multilabel) {
      confirm([JSON.parse(key)]);
      return;
    }
    switched.set(key, !chosen.has(key));
    applySwitched();
    drawClasses();
    work.focus({ preventScroll: true }); // where Enter confirms
    const state = switched.get(key) ? "on" : "off";
    announce(`“${labelText(JSON.parse(key))}” ${state}. ${byId("label-confirm").textContent}`);
  };
  const skip = () => {
    list.skip();
    goOn("Skipped.");
  };
  const undo = () => {
    if (!list.canUndo()) return;
    const { sent } = list.undo();
    const kept = `Saved before: ${namesOf(sent ?? [])}. Another label is added to the file, and the last one counts; `
      + "skipping leaves the saved one.";
    showState(sent === null ? "Undone." : kept);
    showDocument();
    work.focus({ preventScroll: true });
    announce(`${byId("label-state").textContent} ${byId("label-title").textContent}`);
  };
  const confirmChosen = () => { if (isExplained) confirm([...chosen].map((key) => JSON.parse(key))); };
  const chooseNone = () => { if (!model.multilabel) confirm([]); };

  const actions = { 0: chooseNone, s: skip, z: undo, backspace: undo };
  work.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
    if (event.target === search) {
      const [first] = foundClasses();
      if (event.key !== "Enter" || !first) return;
      event.preventDefault();
      choose(labelKey(first.label));
      return;
    }
    const action = actions[event.key.toLowerCase()], isOver = list.entry() === null;
    const cls = /^[1-9]$/.test(event.key) ? groups[0][Number(event.key) - 1] : undefined;
    const isConfirmed = event.key === "Enter" && model.multilabel && event.target === work;
    if (isOver ? action !== undo : !action && !cls && !isConfirmed) return;
    event.preventDefault();
    if (action) action();
    else if (cls) choose(labelKey(cls.label));
    else confirmChosen();
  });
  work.addEventListener("click", (event) => {
    const key = event.target.closest("[data-key]")?.dataset.key;
    if (key === undefined) return;
    choose(key);
    if (model.multilabel) [...work.querySelectorAll("[data-key]")].find(({ dataset }) => dataset.key === key)?.focus();
  });
  search.addEventListener("input", drawClasses);
  byId("label-none").addEventListener("click", chooseNone);
  byId("label-skip").addEventListener("click", skip);
  byId("label-undo").addEventListener("click", undo);
  byId("label-confirm").addEventListener("click", confirmChosen);
  byId("label-download").addEventListener("click", () => {
    const stem = name.replace(/\.[^.]*$/, "");
    download(`${stem}-labels.jsonl`, list.jsonLines(model.multilabel), "application/x-ndjson");
    isDownloaded = true;
  });
  api.connection.addEventListener("up", () => { if (list !== null) save(); });
  document.addEventListener("visibilitychange", () => { if (document.hidden && list !== null) save(true); });
  /** Returns the number of labels that are neither saved nor downloaded. */
  const nAtRisk = () => (list === null || isDownloaded ? 0 : list.nUnsaved());
  addEventListener("beforeunload", (event) => {
    if (nAtRisk()) event.preventDefault(); // the browser asks whether to leave
  });
  /** Saves what can be saved, and returns whether another list may replace this one, if it is still wanted. */
  const mayLeaveFor = async (otherName, isOutdated) => {
    if (list !== null) await save(true);
    if (isOutdated()) return false;
    const n = nAtRisk(), [verb, pronoun] = n === 1 ? ["is", "it"] : ["are", "them"];
    const state = `${formatCount(n, "label")} of ${name} ${verb} neither saved nor downloaded.`;
    return n === 0 || window.confirm(`${state} Open ${otherName} and lose ${pronoun}?`);
  };

  takeFiles(byId("label-drop"), byId("label-input"), async (file) => {
    if (model === null) return;
    nLoads += 1;
    const number = nLoads, isOutdated = () => number !== nLoads; // a newer file has been chosen
    try {
      const [part, ...others] = await partsOf(file), content = await part.read();
      if (isOutdated()) return;
      const table = documentsOf(file.name, content);
      const documents = documentsToLabel(table, model.text_columns);
      if (!documents.length) throw new Error(`${file.name} ${NO_TEXTS}`);
      if (!await mayLeaveFor(file.name, isOutdated)) {
        if (!isOutdated()) work.focus();
        return;
      }
      showMessage("label-fault", null);
      name = file.name;
      list = labelList(documents);
      isDownloaded = false;
      ahead = null;
      const nLeftOut = table.rows.length - documents.length;
      const leftOut = nLeftOut ? ` ${formatCount(nLeftOut, "row")} without a text left out.` : "";
      const sheet = others.length ? `, sheet “${part.name}”` : "";
      showMessage("label-about", `${name}${sheet}: ${formatCount(documents.length, "document")}.${leftOut}`);
      showState("");
      show(work, true);
      showDocument();
      work.focus();
      announce(`${byId("label-about").textContent} ${byId("label-title").textContent}`);
    } catch (reason) {
      if (!isOutdated()) showMessage("label-fault", reason.message);
    }
  });

  /** Uses another model from now on. */
  return (newModel) => {
    const isOther = model !== null && model.id !== newModel.id;
    model = newModel;
    byId("label-target").textContent = model.feedback ? `${SAVES} ${useOfCorrections(model)}`
      : byReader(SAVES_NOT, SAVES_NOT_ELSEWHERE);
    byId("label-keys").textContent = keysNote(model);
    if (isOther && list !== null) {
      ahead = null;
      showDocument();
    }
  };
};
