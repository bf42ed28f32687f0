// The reasons for a result: the marked text, its details, and the classes to choose from.

import { useClasses } from "./classes-view.js";
import { contributionTable } from "./contributions-view.js";
import { byId, labelText, show } from "./dom.js";
import { useMarked } from "./marked-view.js";
import { barsNote, legendLines, marksNote } from "./result-text.js";

/**
 * Sets up the reasons; `prefix` is that of the ids of their elements. `onChoose(label)` is called when the reader
 * chooses another class.
 */
export const useReasons = (prefix, onChoose) => {
  const part = (id) => byId(prefix + id);
  const showMarked = useMarked(prefix), showClasses = useClasses(prefix, onChoose);

  /** Shows why a text gets its classes. */
  return (text, explanation, { multilabel }) => {
    part("classes-note").textContent = barsNote(explanation.classes, multilabel);
    showClasses(explanation);
    part("marked-title").textContent = `Terms for and against ${labelText(explanation.label)}`;
    part("legend").replaceChildren(...legendLines());
    show(part("legend"), explanation.contributions.length > 0);
    const isTruncated = showMarked(text, explanation);
    part("marked-note").textContent = marksNote(explanation, isTruncated);
    part("contributions").replaceChildren(...contributionTable(explanation));
  };
};
