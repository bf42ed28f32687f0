// Asks for the token that the server wants. It is kept in the memory of this page and nowhere else.

import { byId, show } from "./dom.js";

/** A token, or null if the reader closed the question. */
export const askForToken = (wasRefused) => new Promise((resolve) => {
  const dialog = byId("token"), form = byId("token-form"), field = byId("token-field");
  show(byId("token-refused"), wasRefused);
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
    if (field.value.trim()) end(field.value.trim());
  };
  const closed = () => end(null);
  const cancelled = () => end(null);
  form.addEventListener("submit", submitted);
  dialog.addEventListener("close", closed);
  byId("token-cancel").addEventListener("click", cancelled);
  dialog.showModal();
  field.focus();
});
