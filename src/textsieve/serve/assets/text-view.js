// One text: the box that it is typed, pasted or dropped into, and the answer.

import { barsNote, bestFirst, legendOf, marksNote, verdictOf } from "./answer-words.js";
import * as api from "./api.js";
import { useClasses } from "./classes-view.js";
import { contributionsOf } from "./contributions-view.js";
import { offerCorrection, sayOfCorrection } from "./correction-view.js";
import { afterPause, byId, counted, labelText, lengthOf, show, speak, written } from "./dom.js";
import { takeFiles, textOf } from "./files.js";
import { useMarked } from "./marked-view.js";

const PAUSE = 600; // milliseconds without a key, after which a text is classified unasked
const SHORT = 20_000; // characters of a text that is
const NOTHING_YET = "There is no text yet: type or paste one, or drop a file.";

/** `renew` asks for the model again; it is called when an answer is of another one. */
export const useText = (renew) => {
  const box = byId("box"), result = byId("result");
  let model = null, text = "", answered = null, isAnswered = true, isRenewing = false, current = new AbortController();
  const showMarked = useMarked();

  const fault = (sentence) => {
    byId("box-fault").textContent = sentence ?? "";
    show(byId("box-fault"), Boolean(sentence));
  };
  const tooLong = (content) => {
    const length = lengthOf(content), most = model?.limits.length ?? Infinity;
    if (length <= most) return null;
    const words = `This text has ${counted(length, "character")}, and this server takes ${written(most)} at most.`;
    return `${words} Use a part of it, or the command line.`;
  };
  const measure = () => {
    const length = lengthOf(box.value);
    byId("box-length").textContent = length ? `${counted(length, "character")}.` : "";
  };
  /** An answer about another text than the one in the box is no longer to be used. */
  const compareWithBox = () => {
    const isStale = answered !== null && api.wellFormed(box.value) !== answered;
    result.classList.toggle("is-stale", isStale);
    show(byId("stale"), isStale);
    for (const id of ["reasons", "correction"]) byId(id).inert = isStale;
  };

  const explainClass = (explained) => {
    showClasses(explained);
    byId("marked-title").textContent = `What spoke for ${labelText(explained.label)}, and what against`;
    byId("legend").replaceChildren(...legendOf(explained.label));
    show(byId("legend"), explained.contributions.length > 0);
    const isCut = showMarked(text, explained);
    byId("marked-note").textContent = marksNote(explained, isCut);
    byId("contributions").replaceChildren(...contributionsOf(explained));
  };
  const answer = (explained) => {
    isAnswered = true;
    if (answered !== text) sayOfCorrection(null);
    answered = text;
    compareWithBox();
    byId("verdict").replaceChildren(...verdictOf(explained));
    byId("classes-note").textContent = barsNote(explained.classes, model.labels !== "one");
    offerCorrection(model, text, bestFirst(explained), renew);
    explainClass(explained);
    show(result, true);
    speak([...byId("verdict").children].map((each) => each.textContent).join(" "));
  };

  /** Whether an answer is of another model than the page shows; if it is, the page is of that one then. */
  const renewedFor = async (explained) => {
    if (explained.model === undefined || explained.model === model.id) return false;
    isRenewing = true;
    await renew();
    isRenewing = false;
    return true;
  };
  const asked = async (label, then) => {
    current.abort();
    current = new AbortController();
    const { signal } = current;
    result.setAttribute("aria-busy", "true");
    try {
      const explained = await api.explain(text, label, signal);
      const isOther = await renewedFor(explained);
      if (!signal.aborted) (isOther ? answer : then)(explained);
    } catch (reason) {
      if (signal.aborted) return;
      if (reason instanceof api.Unreachable) return api.whenBack(signal, () => asked(label, then));
      const { id } = model;
      if (reason.code === "unknown_label") await renew(); // another model asks again by itself
      if (model.id === id) fault(reason.message);
    } finally {
      if (!signal.aborted) result.removeAttribute("aria-busy");
    }
  };
  const showClasses = useClasses((label) => asked(label, isAnswered ? explainClass : answer));

  const classify = () => {
    soon.cancel();
    if (model === null) return;
    const content = api.wellFormed(box.value);
    const sentence = content.trim() === "" ? NOTHING_YET : tooLong(content);
    fault(sentence);
    compareWithBox();
    if (sentence) return;
    text = content;
    isAnswered = false;
    asked(null, answer);
  };
  const soon = afterPause(() => {
    const isWorthIt = box.value.trim() && box.value.length <= SHORT && box.value !== text;
    if (isWorthIt) classify();
  }, PAUSE);

  box.addEventListener("input", () => {
    measure();
    compareWithBox();
    fault(box.value ? tooLong(box.value) : null);
    soon();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    classify();
  });
  byId("classify").addEventListener("click", classify);
  byId("clear").addEventListener("click", () => {
    soon.cancel();
    current.abort();
    box.value = text = "";
    answered = null;
    measure();
    fault(null);
    show(result, false);
    box.focus();
  });
  takeFiles(byId("text-drop"), byId("text-input"), async (file) => {
    try {
      const content = await textOf(file);
      const sentence = tooLong(content);
      if (sentence) return fault(`${file.name}: ${sentence}`);
      box.value = content;
      measure();
      classify();
    } catch (reason) {
      fault(reason.message);
    }
  });

  /** Another model answers from now on. */
  return (found) => {
    const isOther = model !== null && model.id !== found.id;
    model = found;
    if (isRenewing) return; // the answer is already of that one
    if (isOther && text && !result.hidden) asked(null, answer);
    else if (!text && box.value.trim()) soon();
  };
};
