// Asks for the token that the server wants. It is kept in the memory of this page and nowhere else.

import { isToken } from "./api.js";
import { byId, show } from "./dom.js";

const REFUSED = "That token was not accepted.";
const IMPOSSIBLE = "No token has such characters: they are English letters, digits and signs. Is the keyboard right?";

/** A token, or null if the reader closed the question. */
export const askForToken = (wasRefused) => new Promise((resolve) => {
  const dialog = byId("token"), form = byId("token-form"), field = byId("token-field");
  const complain = (sentence) => {
    byId("token-refused").textContent = sentence ?? "";
    show(byId("token-refused"), Boolean(sentence));
  };
  complain(wasRefused ? REFUSED : null);
  const end = (value) => {
    form.removeEventListener("submit", submitted);
    dialog.removeEventListener("close", closed);
    byId("token-cancel").removeEventListener("click", cancelled);
    field.value = "";
    if (dialog.open) dialog.close();
    resolve(value);
  };
  const submitted = (event) => {
    event.preventDefault();
    const given = field.value.trim();
    if (isToken(given)) return end(given);
    if (given) complain(IMPOSSIBLE);
  };
  const closed = () => end(null);
  const cancelled = () => end(null);
  form.addEventListener("submit", submitted);
  dialog.addEventListener("close", closed);
  byId("token-cancel").addEventListener("click", cancelled);
  dialog.showModal();
  field.focus();
});
