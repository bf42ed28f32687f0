// Classify one text: the box for the text, and the result.

import * as api from "./api.js";
import { byReader } from "./command-line.js";
import { offerCorrection, showCorrectionState } from "./correction-view.js";
import { afterPause, announce, byId, formatCount, formatNumber, lengthOf, show } from "./dom.js";
import { takeFiles, textOf } from "./files.js";
import { useReasons } from "./reasons-view.js";
import { hasOnlyGuess, predictedLabels, predictionLines } from "./result-text.js";
import { useWelcome } from "./welcome-view.js";

const PAUSE = 600; // milliseconds without a key before a text is classified
const SHORT = 20_000; // longer texts are classified by the button only
const NO_TEXT = "Enter a text, or drop a text file here.";

/** Sets up the box and the result; `reloadModel` is called when a response comes from another model. */
export const useText = (reloadModel) => {
  const box = byId("box"), result = byId("result");
  let model = null, isReloading = false, current = new AbortController();
  let text = "", isDone = true; // the text that was sent last, and whether its first response has arrived
  let resultText = null; // the text whose result is shown
  let nContents = 0; // of the box: a file that takes long to read must not replace a newer content

  const showFault = (message) => {
    byId("box-fault").textContent = message ?? "";
    show(byId("box-fault"), Boolean(message));
  };
  const tooLong = (content) => {
    const length = lengthOf(content), limit = model?.limits.length ?? Infinity;
    if (length <= limit) return null;
    return `This text has ${formatCount(length, "character")}; this server accepts at most ${formatNumber(limit)}. `
      + byReader("Use a part of it, or the command line.", "Use a part of it.");
  };
  const showLength = () => {
    const length = lengthOf(box.value);
    byId("box-length").textContent = length ? `${formatCount(length, "character")}.` : "";
  };
  /** Dims the result and disables its controls if it is for another text than the one in the box. */
  const checkStale = () => {
    const isStale = resultText !== null && api.wellFormed(box.value) !== resultText;
    result.classList.toggle("is-stale", isStale);
    show(byId("stale"), isStale);
    for (const id of ["reasons", "correction"]) byId(id).inert = isStale;
  };

  /** Shows the result, or if there is none, the examples and classes. */
  const showParts = (hasResult) => {
    show(result, hasResult);
    show(byId("welcome"), !hasResult);
  };
  const showExplanation = (explanation) => showReasons(text, explanation, model);
  const showResult = (explanation) => {
    isDone = true;
    if (resultText !== text) showCorrectionState(null);
    resultText = text;
    checkStale();
    byId("prediction").replaceChildren(...predictionLines(explanation, model));
    offerCorrection(model, text, hasOnlyGuess(explanation) ? [] : predictedLabels(explanation), reloadModel);
    showExplanation(explanation);
    showParts(true);
    announce([...byId("prediction").children].map((line) => line.textContent).join(" "));
  };

  /** Returns whether a response comes from another model than the page shows, and shows that model if it does. */
  const switchModel = async (explanation) => {
    if (explanation.model === undefined || explanation.model === model.id) return false;
    isReloading = true;
    await reloadModel();
    isReloading = false;
    return true;
  };
  /** Asks why `text` gets its label, or for the terms of another class if `label` is not null; then shows the response
   * by `then`, or as a new result if it comes from another model than before.
   */
  const explain = async (label, then) => {
    current.abort();
    current = new AbortController();
    const { signal } = current;
    result.setAttribute("aria-busy", "true");
    try {
      const explanation = await api.explain(text, label, signal);
      const isOther = await switchModel(explanation);
      if (!signal.aborted) (isOther ? showResult : then)(explanation);
    } catch (reason) {
      if (signal.aborted) return;
      if (reason instanceof api.Unreachable) return api.whenBack(signal, () => explain(label, then));
      const { id } = model;
      if (reason.code === "unknown_label") await reloadModel(); // a new model sends the request again
      if (model.id === id) showFault(reason.message);
    } finally {
      if (!signal.aborted) result.removeAttribute("aria-busy");
    }
  };
  const showReasons = useReasons("", (label) => explain(label, isDone ? showExplanation : showResult));

  const classify = () => {
    classifySoon.cancel();
    if (model === null) return;
    const content = api.wellFormed(box.value);
    const problem = content.trim() === "" ? NO_TEXT : tooLong(content);
    showFault(problem);
    checkStale();
    if (problem) return;
    text = content;
    isDone = false;
    explain(null, showResult);
  };
  const classifySoon = afterPause(() => {
    const isNew = box.value.trim() && box.value.length <= SHORT && box.value !== text;
    if (isNew) classify();
  }, PAUSE);

  box.addEventListener("input", () => {
    nContents += 1;
    showLength();
    checkStale();
    showFault(box.value ? tooLong(box.value) : null);
    classifySoon();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    classify();
  });
  byId("classify").addEventListener("click", classify);
  byId("clear").addEventListener("click", () => {
    nContents += 1;
    classifySoon.cancel();
    current.abort();
    box.value = text = "";
    resultText = null;
    showLength();
    showFault(null);
    showParts(false);
    box.focus();
  });
  takeFiles(byId("text-drop"), byId("text-input"), async (file) => {
    nContents += 1;
    const number = nContents;
    try {
      const content = await textOf(file);
      if (number !== nContents) return;
      const problem = tooLong(content);
      if (problem) return showFault(`${file.name}: ${problem}`);
      box.value = content;
      showLength();
      classify();
    } catch (reason) {
      if (number === nContents) showFault(reason.message);
    }
  });

  const setWelcome = useWelcome((example) => {
    nContents += 1;
    box.value = example;
    showLength();
    classify();
    byId("clear").focus(); // the example disappears, and “Clear” brings it back
  });

  /** Uses another model from now on. */
  return (newModel) => {
    const isOther = model !== null && model.id !== newModel.id;
    model = newModel;
    setWelcome(model);
    showParts(!result.hidden);
    if (isReloading) return; // the result is already from this model
    if (isOther && text && !result.hidden) explain(null, showResult);
    else if (!text && box.value.trim()) classifySoon();
  };
};
