// The dialog that asks for the token of the server. The page keeps the token in memory only.

import { isToken } from "./api.js";
import { byId, show } from "./dom.js";

const REJECTED = "The server did not accept this token.";
const INVALID = "A token has only English letters, digits and punctuation. Check your keyboard layout.";

/** Returns a token, or null if the reader closed the dialog. */
export const askForToken = (wasRejected) => new Promise((resolve) => {
  const dialog = byId("token"), form = byId("token-form"), field = byId("token-field");
  const showError = (message) => {
    byId("token-error").textContent = message ?? "";
    show(byId("token-error"), Boolean(message));
  };
  showError(wasRejected ? REJECTED : null);
  const end = (value) => {
    form.removeEventListener("submit", submit);
    dialog.removeEventListener("close", close);
    byId("token-cancel").removeEventListener("click", cancel);
    field.value = "";
    if (dialog.open) dialog.close();
    resolve(value);
  };
  const submit = (event) => {
    event.preventDefault();
    const token = field.value.trim();
    if (isToken(token)) return end(token);
    if (token) showError(INVALID);
  };
  const close = () => end(null);
  const cancel = () => end(null);
  form.addEventListener("submit", submit);
  dialog.addEventListener("close", close);
  byId("token-cancel").addEventListener("click", cancel);
  dialog.showModal();
  field.focus();
});
