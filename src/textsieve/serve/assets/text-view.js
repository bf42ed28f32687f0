// One text: the box that it is typed, pasted or dropped into, and the answer.

import * as api from "./api.js";
import { useClasses } from "./classes-view.js";
import { contributionsOf } from "./contributions-view.js";
import { offerCorrection } from "./correction-view.js";
import { afterPause, byId, counted, labelParts, labelText, lengthOf, make, percent, show, written } from "./dom.js";
import { takeFiles, textOf } from "./files.js";
import { useMarked } from "./marked-view.js";

const PAUSE = 600; // milliseconds without a key, after which a text is classified unasked
const SHORT = 20_000; // characters of a text that is

const verdictOf = ({ predicted, classes, unknown }, several) => {
  const first = classes.find((each) => each.predicted);
  const names = predicted.map((label) => make("strong", {}, labelParts(label)));
  const lead = several && names.length > 1 ? "The classes of this text are" : "The class of this text is";
  const score = first && (first.probability === null || first.probability === undefined ? `score ${written(first.score, 3)}` : `${percent(first.probability)} probable, score ${written(first.score, 3)}`);
  return [
    make("p", { class: "muted" }, names.length ? lead : "This text gets no class"),
    make("p", { class: "names" }, names.length ? names : make("strong", {}, "None reaches its threshold")),
    names.length === 1 && score && !unknown ? make("p", { class: "muted" }, score) : null,
    unknown ? make("p", { class: "unknown" }, `${unknown.replace(/\.$/, "")}.`) : null,
  ].filter(Boolean);
};

const legendOf = (label) => {
  const sample = (kind, strength) => make("mark", { class: kind, vars: { "--strength": String(strength) } }, "\u2003");
  const line = (kind, words) => make("li", {}, make("span", { class: "samples", "aria-hidden": "true" }, [0.25, 0.6, 1].map((each) => sample(kind, each))), ` ${words} ${labelText(label)}`);
  return [line("for", "speaks for"), line("against", "speaks against")];
};

const HOW = "The stronger the colour, the more a term adds. Point at it, tap it, or go there with Tab and the arrow keys for the exact number.";
const CUT = " The text is so long that only its beginning is marked; the table has all terms.";

export const useText = () => {
  const box = byId("box"), result = byId("result");
  let model = null, text = "", isAnswered = true, current = new AbortController();
  const showMarked = useMarked();

  const fault = (sentence) => {
    byId("box-fault").textContent = sentence ?? "";
    show(byId("box-fault"), Boolean(sentence));
  };
  const tooLong = (content) => {
    const length = lengthOf(content), most = model?.limits.length ?? Infinity;
    return length > most ? `This text has ${counted(length, "character")}, and this server takes ${written(most)} at most. Use a part of it, or the command line.` : null;
  };
  const measure = () => {
    const length = lengthOf(box.value);
    byId("box-length").textContent = length ? `${counted(length, "character")}.` : "";
  };

  const explainClass = (explained) => {
    showClasses(explained);
    byId("marked-title").textContent = `What spoke for ${labelText(explained.label)}, and what against`;
    byId("legend").replaceChildren(...legendOf(explained.label));
    const isCut = showMarked(text, explained);
    byId("marked-note").textContent = explained.contributions.length ? HOW + (isCut ? CUT : "") : "No term of this text is known to the model.";
    byId("contributions").replaceChildren(...contributionsOf(explained));
  };
  const answer = (explained) => {
    isAnswered = true;
    byId("verdict").replaceChildren(...verdictOf(explained, model.labels !== "one"));
    byId("classes-note").textContent = explained.classes[0]?.probability === null || explained.classes[0]?.probability === undefined
      ? `Bars run from the lowest score to the highest${model.labels === "one" ? "" : "; the line in a bar is where the class is given"}. Choose a class to see its terms.`
      : "Bars are probabilities. Choose a class to see its terms.";
    offerCorrection(model, text, explained.predicted);
    explainClass(explained);
    show(result, true);
  };

  const asked = async (label, then) => {
    current.abort();
    current = new AbortController();
    const { signal } = current;
    result.setAttribute("aria-busy", "true");
    try {
      const explained = await api.explain(text, label, signal);
      if (!signal.aborted) then(explained);
    } catch (reason) {
      if (signal.aborted) return;
      if (reason instanceof api.Unreachable) api.connection.addEventListener("up", () => { if (!signal.aborted) asked(label, then); }, { once: true });
      else fault(reason.message);
    } finally {
      if (!signal.aborted) result.removeAttribute("aria-busy");
    }
  };
  const showClasses = useClasses((label) => asked(label, isAnswered ? explainClass : answer));

  const classify = () => {
    soon.cancel();
    if (model === null) return;
    const content = api.wellFormed(box.value);
    const sentence = content.trim() === "" ? "There is no text yet: type or paste one, or drop a file." : tooLong(content);
    fault(sentence);
    if (sentence) return;
    text = content;
    isAnswered = false;
    asked(null, answer);
  };
  const soon = afterPause(() => { if (box.value.trim() && box.value.length <= SHORT && box.value !== text) classify(); }, PAUSE);

  box.addEventListener("input", () => {
    measure();
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
    if (isOther && text && !result.hidden) asked(null, answer);
    else if (!text && box.value.trim()) soon();
  };
};
