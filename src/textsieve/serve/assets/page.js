// The page: connects its parts, and reacts when the server goes down or loads another model.

import * as api from "./api.js";
import { byId, formatTime, make, show } from "./dom.js";
import { useFile } from "./file-view.js";
import { useLabelling } from "./label-view.js";
import { showModel, summaryOf } from "./model-view.js";
import { useTabs } from "./tabs.js";
import { setAnalyzer } from "./term-text.js";
import { useTerms } from "./terms-view.js";
import { useText } from "./text-view.js";
import { askForToken } from "./token.js";

/** Shows a problem of the whole page, with a button to try again if there is a function for it; null hides it. */
const showTrouble = (message, retry = null) => {
  const button = () => make("button", { type: "button", on: { click: retry } }, "Try again");
  byId("trouble").replaceChildren(message ?? "", ...(retry ? [button()] : []));
  show(byId("trouble"), Boolean(message));
};

byId("not-started").remove();
api.setTokenDialog(askForToken);
let current = null, visibleTab = null;

const setModel = (model) => {
  if (JSON.stringify(current) === JSON.stringify(model)) return;
  const isNewer = current !== null && current.id !== model.id;
  current = model;
  setAnalyzer(model.settings?.analyzer);
  if (isNewer) byId("newer-model").textContent = `A newer model was loaded on ${formatTime(model.loaded)}.`;
  if (isNewer) show(byId("newer-model"), true);
  document.title = `${model.title ?? model.name} – textsieve`;
  byId("title").textContent = model.title ?? "textsieve";
  byId("description").textContent = model.description ?? "";
  show(byId("description"), model.description !== null);
  byId("summary").textContent = summaryOf(model);
  showModel(model);
  terms.setModel(model);
  setText(model);
  setFile(model);
  setLabelling(model);
  if (visibleTab === "terms") terms.loadFirst();
};

/** Reads the model; called again when the reader returns to the page, because the server may have another model. */
const loadModel = async () => {
  try {
    setModel(await api.model());
    showTrouble(null);
  } catch (reason) {
    showTrouble(reason.message, reason instanceof api.Unreachable ? null : loadModel);
  }
};

const terms = useTerms(loadModel), setText = useText(loadModel), setFile = useFile();
const setLabelling = useLabelling();
useTabs(byId("tabs"), (id) => {
  visibleTab = id;
  if (current === null) return;
  if (id === "terms") terms.loadFirst();
  if (id === "model") loadModel();
});
api.connection.addEventListener("down", () => showTrouble(new api.Unreachable().message));
api.connection.addEventListener("up", loadModel);
document.addEventListener("visibilitychange", () => { if (!document.hidden) loadModel(); });
for (const kind of ["dragover", "drop"]) {
  // A file that is dropped elsewhere must not replace the page.
  addEventListener(kind, (event) => { if (event.dataTransfer?.types.includes("Files")) event.preventDefault(); });
}
loadModel();
