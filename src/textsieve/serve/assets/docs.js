// What can be asked for, from the server's own OpenAPI, with examples that can be tried.
//
// All that is read is set as text.

import { byId, make, show } from "./dom.js";
import { curl, program } from "./docs-examples.js";
import { exampleOf, resolved, shape, typeOf } from "./docs-shapes.js";

const KEPT = "What is sent here is written to the file of corrections of this service. So the text is empty, which the "
  + "service refuses: put in one that is really to be learned.";
const MOST_SHOWN = 200_000; // characters of an answer

const token = () => byId("token-field").value.trim();
const asksForToken = () => !byId("token").hidden;
const address = (path) => new URL(path, document.baseURI).href;

const asked = async (path, body = null) => {
  const headers = token() ? { Authorization: `Bearer ${token()}` } : {};
  if (body !== null) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method: body === null ? "GET" : "POST", headers, body, cache: "no-store" });
  if (answer.status === 401) show(byId("token"), true);
  return answer;
};

const anchor = (path) => path.slice(1).replaceAll("/", "-");

/** Pieces of text as lines, each of which goes on under itself if it is long. */
const lines = (found) => {
  const rows = [[]];
  for (const [text, kind] of found) {
    const [first, ...rest] = text.split("\n");
    rows.at(-1).push(kind ? make("span", { class: kind }, first) : first);
    for (const each of rest) rows.push([each]);
  }
  const row = (content) => {
    const indent = content.find((each) => typeof each === "string" && each)?.match(/^ */)[0].length ?? 0;
    return make("span", { class: "line", vars: { "--indent": String(indent) } }, ...content, "\n");
  };
  return make("pre", { class: "shape", tabindex: "0" }, make("code", {}, rows.map(row)));
};

const part = (title, ...content) => make("div", {}, make("h3", {}, title), content);
const schemaOf = (holder) => holder?.content?.["application/json"]?.schema;

// -- a route ------------------------------------------------------------------------------------------------------

const parameterTable = (parameters, all) => {
  const row = ({ name, schema, description }) => {
    const usual = schema.default === undefined || schema.default === "" ? "" : ` By default ${schema.default}.`;
    return make("tr", {},
      make("th", { scope: "row" }, make("code", {}, name)),
      make("td", {}, typeOf(schema, all)),
      make("td", {}, (description ?? "") + usual));
  };
  const titles = ["Name", "Type", "Meaning"].map((each) => make("th", { scope: "col" }, each));
  const head = make("thead", {}, make("tr", {}, ...titles));
  return make("table", { class: "parameters" }, head, make("tbody", {}, parameters.map(row)));
};

const otherwise = (responses) =>
  make("ul", { class: "otherwise" }, Object.entries(responses).filter(([status]) => status >= 400)
    .map(([status, { description }]) => make("li", {}, make("b", {}, status), make("span", {}, description))));

const copying = (code) => {
  const button = make("button", { type: "button", on: { click: async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  } } }, "Copy");
  return navigator.clipboard ? button : null;
};

const example = (title, code, path) => {
  const copy = copying(code);
  copy?.setAttribute("aria-label", `Copy ${title} for ${path}`);
  const heading = make("div", { class: "heading" }, make("h3", {}, title), copy);
  return make("div", { class: "example" }, heading, make("pre", { tabindex: "0" }, code));
};

/** The fields in which a request is written, and what they say: a path with a query, and a body. */
const fieldsOf = (path, parameters, body) => {
  const id = `try-${anchor(path)}`;
  if (body !== null) {
    const value = JSON.stringify(body, null, 2);
    const rows = value.split("\n").length + 1;
    const field = make("textarea", { id, class: "body", rows, spellcheck: "false", is: { value } });
    return { fields: [make("label", { class: "field", for: id }, "Body"), field], said: () => [path, field.value] };
  }
  const inputs = parameters.map(({ name, schema }) =>
    [name, make("input", { id: `${id}-${name}`, autocomplete: "off", placeholder: schema.default ?? "" })]);
  const labelled = inputs.map(([name, input]) => make("label", { class: "field" }, name, input));
  const fields = make("div", { class: "asked" }, labelled);
  const said = () => {
    const given = inputs.map(([name, { value }]) => [name, value]).filter(([, value]) => value !== "");
    const query = new URLSearchParams(given);
    return [path + (query.size ? `?${query}` : ""), null];
  };
  return { fields: inputs.length ? [fields] : [], said };
};

/** JSON with other blanks between its parts; what is no JSON stays as it is. */
const spaced = (text, indent) => {
  try {
    return JSON.stringify(JSON.parse(text), null, indent);
  } catch {
    return text;
  }
};

const answered = async ([path, body], status, place, code) => {
  const begin = performance.now();
  status.className = "status";
  status.textContent = "Asking …";
  try {
    const answer = await asked(path.slice(1), body);
    const text = await answer.text();
    const spent = performance.now() - begin;
    status.classList.add(answer.ok ? "is-good" : "is-bad");
    const time = spent < 10 ? spent.toFixed(1) : Math.round(spent);
    status.textContent = `${answer.status} ${answer.statusText}, ${time} ms`;
    const pretty = spaced(text, 2);
    const left = pretty.length - MOST_SHOWN;
    code.textContent = left > 0 ? `${pretty.slice(0, MOST_SHOWN)}\n… (${left} more characters)` : pretty;
  } catch {
    status.classList.add("is-bad");
    status.textContent = "The server does not answer.";
    code.textContent = "";
  }
  show(place, code.textContent !== "");
};

const trial = (path, { fields, said }) => {
  const status = make("span", { class: "status", role: "status" }), code = make("code");
  const place = make("pre", { tabindex: "0", hidden: true, "aria-label": `Answer of ${path}` }, code);
  const send = make("button", { class: "primary", "aria-label": `Send to ${path}` }, "Send");
  const submitted = async (event) => {
    event.preventDefault();
    send.disabled = true;
    await answered(said(), status, place, code);
    send.disabled = false;
  };
  const controls = make("div", { class: "controls" }, send, status);
  return make("form", { on: { submit: submitted } }, ...fields, controls, place);
};

const route = (path, method, about, all, known) => {
  const body = schemaOf(about.requestBody), parameters = about.parameters ?? [];
  const [[good, response]] = Object.entries(about.responses);
  const isKept = path.endsWith("/feedback"), right = isKept ? { text: "", ...known } : {};
  const fields = fieldsOf(path, parameters, body ? { ...exampleOf(body, all), ...right } : null);
  const line = make("code"), python = make("code");
  const answer = schemaOf(response), isJson = answer !== undefined;
  const renew = () => {
    const [asking, text] = fields.said();
    line.textContent = curl(address(asking.slice(1)), text && spaced(text, 0), asksForToken());
    python.textContent = program(address(asking.slice(1)), text, asksForToken(), isJson);
  };
  const tried = trial(path, fields);
  tried.addEventListener("input", renew);
  document.addEventListener("renew", renew);
  renew();
  const noteOf = (schema) => make("p", { class: "note" }, resolved(schema, all).description ?? "");
  const shapes = [
    body ? part("Asked for", noteOf(body), lines(shape(body, all))) : null,
    isJson ? part(`Answered (${good})`, noteOf(answer), lines(shape(answer, all))) : null,
  ].filter(Boolean);
  return make("section", { class: "card route", id: anchor(path), "aria-labelledby": `${anchor(path)}-title` },
    make("h2", { id: `${anchor(path)}-title` },
      make("span", { class: `method ${method}` }, method.toUpperCase()),
      make("span", { class: "path" }, path)),
    make("p", {}, about.description ?? about.summary ?? ""),
    parameters.length ? part("Parameters", make("div", { class: "scroll" }, parameterTable(parameters, all))) : null,
    make("div", { class: `pair ${shapes.length > 1 ? "both" : ""}` }, shapes),
    part("Try it", isKept ? make("p", { class: "note" }, KEPT) : null, tried),
    make("div", { class: "pair both" }, example("curl", line, path), example("Python", python, path)),
    part("Answered otherwise", otherwise(about.responses)));
};

// -- all of them --------------------------------------------------------------------------------------------------

/** A label as a correction has it, of this model; nothing if it is not told. */
const labelOfModel = async () => {
  const answer = await asked("v1/model");
  if (!answer.ok) return {};
  const { labels, classes } = await answer.json();
  return labels === "one" ? { label: classes[0].label } : { labels: [classes[0].label] };
};

const begin = async () => {
  const answer = await asked("openapi.json");
  if (!answer.ok) throw new Error((await answer.json())?.error?.message ?? `The server answered ${answer.status}.`);
  const all = await answer.json();
  const known = await labelOfModel();
  const routes = Object.entries(all.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, about]) => [path, method, about]));
  byId("about").textContent = `${all.info.title} ${all.info.version}. ${all.info.description.replaceAll("`", "")}`;
  const linkTo = (path) => make("a", { href: `#${anchor(path)}` }, path);
  byId("contents").replaceChildren(...routes.map(([path]) => make("li", {}, linkTo(path))));
  byId("main").replaceChildren(...routes.map(([path, method, about]) => route(path, method, about, all, known)));
  byId("main").dataset.ready = "yes";
};

const renewed = () => document.dispatchEvent(new Event("renew"));
byId("token").addEventListener("submit", (event) => event.preventDefault());
new MutationObserver(renewed).observe(byId("token"), { attributes: true });
begin().catch((problem) => {
  byId("trouble").textContent = `What can be asked for is not known: ${problem.message}`;
  show(byId("trouble"), true);
});
