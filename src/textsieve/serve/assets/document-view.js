// One document of a file in a dialog: its class and the reasons for it, as for a text; and buttons to the next one.

import * as api from "./api.js";
import { byId, copyOf, formatNumber, show } from "./dom.js";
import { useReasons } from "./reasons-view.js";
import { predictionLines } from "./result-text.js";

const LOADING = "Loading …";
const OTHER_MODEL = "This is the result of another model, which the service has loaded since it classified the file.";

/** Sets up the dialog, with a copy of the elements of the text tab; call this before there is a result. */
export const useDocument = () => {
  byId("document-result").append(copyOf(byId("reasons"), "document-"));
  const dialog = byId("document");
  let model = null, documents = [], place = 0, nAll = 0, current = new AbortController();

  const showState = (message) => { byId("document-state").textContent = message; };
  const explain = async (label) => {
    current.abort();
    current = new AbortController();
    const { signal } = current, { text } = documents[place];
    try {
      const explanation = await api.explain(api.wellFormed(text), label, signal);
      if (signal.aborted) return;
      byId("document-prediction").replaceChildren(...predictionLines(explanation, model));
      showReasons(api.wellFormed(text), explanation, model);
      show(byId("document-result"), true);
      showState(explanation.model === model.id ? "" : OTHER_MODEL);
    } catch (reason) {
      if (signal.aborted) return;
      show(byId("document-result"), false);
      showState(reason.message);
      if (reason instanceof api.Unreachable) api.whenBack(signal, () => explain(label));
    }
  };
  const showReasons = useReasons("document-", explain);
  const go = (newPlace) => {
    place = newPlace;
    byId("document-title").textContent =
      `Document ${formatNumber(documents[place].index + 1)} of ${formatNumber(nAll)}`;
    byId("document-previous").disabled = place === 0;
    byId("document-next").disabled = place === documents.length - 1;
    showState(LOADING);
    dialog.scrollTop = 0;
    explain(null);
  };
  byId("document-previous").addEventListener("click", () => go(place - 1));
  byId("document-next").addEventListener("click", () => go(place + 1));
  byId("document-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); }); // beside the dialog
  dialog.addEventListener("close", () => {
    current.abort();
    document.querySelector(`#file-preview tr[data-index="${documents[place].index}"] button`)?.focus();
  });

  /** Opens the dialog with one of some documents; `total` is the number of all documents of the file. */
  return (newModel, newDocuments, newPlace, total) => {
    model = newModel;
    documents = newDocuments;
    nAll = total;
    show(byId("document-result"), false);
    dialog.showModal();
    go(newPlace);
  };
};
