// What the page says to readers with a command line, and to others.
//
// The page may be open on the machine where the service runs, or on that of a colleague. Commands such as `textsieve
// update` help only a reader on the service's machine. A colleague can't run them, and is told what the owner of the
// model can do.

const IS_THIS_MACHINE = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const NOT_YET = "The model learns from corrections when its owner updates it.";
const NO_UPDATE = "The owner of the model can use corrections the next time the model is trained.";

/** Returns whether a page was opened on the machine of the service, by the host name in its address. */
export const isThisMachine = (hostname) => IS_THIS_MACHINE.test(hostname);

/** Returns the first text on the machine of the service, and the second one elsewhere. */
export const byReader = (here, elsewhere, hostname = location.hostname) =>
  (isThisMachine(hostname) ? here : elsewhere);

/** Returns what happens to corrections; the server describes it with commands. */
export const useOfCorrections = ({ update: { method, description } }) =>
  byReader(description, method === null ? NO_UPDATE : NOT_YET);
