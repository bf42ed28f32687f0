// The page: what belongs to what, and what happens when the server goes away or has another model.

import * as api from "./api.js";
import { byId, day, make, show } from "./dom.js";
import { useFile } from "./file-view.js";
import { showModel, summaryOf } from "./model-view.js";
import { useTabs } from "./tabs.js";
import { useTerms } from "./terms-view.js";
import { useText } from "./text-view.js";
import { askForToken } from "./token.js";

/** What is wrong with all of the page, if anything is; and a way to go on. */
const trouble = (sentence, again = null) => {
  const button = () => make("button", { type: "button", on: { click: again } }, "Try again");
  byId("trouble").replaceChildren(sentence ?? "", ...(again ? [button()] : []));
  show(byId("trouble"), Boolean(sentence));
};

api.askWith(askForToken);
let known = null, visible = null;

const setModel = (model) => {
  if (JSON.stringify(known) === JSON.stringify(model)) return;
  const isNewer = known !== null && known.id !== model.id;
  known = model;
  if (isNewer) byId("renewed").textContent = `A newer model is in use since ${day(model.loaded)}.`;
  if (isNewer) show(byId("renewed"), true);
  document.title = `${model.name} – textsieve`;
  byId("summary").textContent = summaryOf(model);
  showModel(model);
  terms.setModel(model);
  setText(model);
  setFile(model);
  if (visible === "terms") terms.seen();
};

/** Also asked when the reader comes back: the server may have another model by then. */
const askForModel = async () => {
  try {
    setModel(await api.model());
    trouble(null);
  } catch (reason) {
    trouble(reason.message, reason instanceof api.Unreachable ? null : askForModel);
  }
};

const terms = useTerms(askForModel), setText = useText(askForModel), setFile = useFile();
useTabs(byId("tabs"), (id) => {
  visible = id;
  if (known === null) return;
  if (id === "terms") terms.seen();
  if (id === "model") askForModel();
});
api.connection.addEventListener("down", () => trouble(new api.Unreachable().message));
api.connection.addEventListener("up", askForModel);
document.addEventListener("visibilitychange", () => { if (!document.hidden) askForModel(); });
for (const kind of ["dragover", "drop"]) {
  // A file that misses its place must not take the page away.
  addEventListener(kind, (event) => { if (event.dataTransfer?.types.includes("Files")) event.preventDefault(); });
}
askForModel();
