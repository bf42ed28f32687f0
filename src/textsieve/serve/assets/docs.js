// The API reference, built from the server's OpenAPI document, with examples to try.
//
// All data is inserted as text.

import { byId, make, show } from "./dom.js";
import { curl, program } from "./docs-examples.js";
import { exampleOf, resolve, schemaPieces, typeOf } from "./docs-schemas.js";

const FEEDBACK_NOTE = "The service writes this correction to its file. The text of the example is empty, so that the "
  + "service rejects it: enter a text that the model should really learn.";
const MAX_SHOWN = 200_000; // characters of a response

const token = () => byId("token-field").value.trim();
const needsToken = () => !byId("token").hidden;
const address = (path) => new URL(path, document.baseURI).href;

const request = async (path, body = null) => {
  const headers = token() ? { Authorization: `Bearer ${token()}` } : {};
  if (body !== null) headers["Content-Type"] = "application/json";
  const response = await fetch(path, { method: body === null ? "GET" : "POST", headers, body, cache: "no-store" });
  if (response.status === 401) show(byId("token"), true);
  return response;
};

const anchor = (path) => path.slice(1).replaceAll("/", "-");

/** Returns pieces of text as lines; long lines are wrapped with their indentation. */
const schemaLines = (pieces) => {
  const rows = [[]];
  for (const [text, kind] of pieces) {
    const [first, ...rest] = text.split("\n");
    rows.at(-1).push(kind ? make("span", { class: kind }, first) : first);
    for (const line of rest) rows.push([line]);
  }
  const row = (content) => {
    const indent = content.find((part) => typeof part === "string" && part)?.match(/^ */)[0].length ?? 0;
    return make("span", { class: "line", vars: { "--indent": String(indent) } }, ...content, "\n");
  };
  return make("pre", { class: "schema", tabindex: "0" }, make("code", {}, rows.map(row)));
};

const part = (title, ...content) => make("div", {}, make("h3", {}, title), content);
const schemaOf = (holder) => holder?.content?.["application/json"]?.schema;

// -- one route ----------------------------------------------------------------------------------------------------

const parameterTable = (parameters, all) => {
  const row = ({ name, schema, description }) => {
    const byDefault = schema.default === undefined || schema.default === "" ? "" : ` Default: ${schema.default}.`;
    return make("tr", {},
      make("th", { scope: "row" }, make("code", {}, name)),
      make("td", {}, typeOf(schema, all)),
      make("td", {}, (description ?? "") + byDefault));
  };
  const titles = ["Name", "Type", "Description"].map((title) => make("th", { scope: "col" }, title));
  const head = make("thead", {}, make("tr", {}, ...titles));
  return make("table", { class: "parameters" }, head, make("tbody", {}, parameters.map(row)));
};

const errorList = (responses) =>
  make("ul", { class: "errors" }, Object.entries(responses).filter(([status]) => status >= 400)
    .map(([status, { description }]) => make("li", {}, make("b", {}, status), make("span", {}, description))));

const copyButton = (code) => {
  const button = make("button", { type: "button", on: { click: async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  } } }, "Copy");
  return navigator.clipboard ? button : null;
};

const example = (title, code, path) => {
  const copy = copyButton(code);
  copy?.setAttribute("aria-label", `Copy ${title} for ${path}`);
  const heading = make("div", { class: "heading" }, make("h3", {}, title), copy);
  return make("div", { class: "example" }, heading, make("pre", { tabindex: "0" }, code));
};

/** Returns the input fields of a request, and a function that reads its path (with a query) and its body. */
const fieldsOf = (path, parameters, body) => {
  const id = `try-${anchor(path)}`;
  if (body !== null) {
    const value = JSON.stringify(body, null, 2);
    const rows = value.split("\n").length + 1;
    const field = make("textarea", { id, class: "body", rows, spellcheck: "false", is: { value } });
    return { fields: [make("label", { class: "field", for: id }, "Body"), field], read: () => [path, field.value] };
  }
  const inputs = parameters.map(({ name, schema }) =>
    [name, make("input", { id: `${id}-${name}`, autocomplete: "off", placeholder: schema.default ?? "" })]);
  const labelled = inputs.map(([name, input]) => make("label", { class: "field" }, name, input));
  const fields = make("div", { class: "query" }, labelled);
  const read = () => {
    const values = inputs.map(([name, { value }]) => [name, value]).filter(([, value]) => value !== "");
    const query = new URLSearchParams(values);
    return [path + (query.size ? `?${query}` : ""), null];
  };
  return { fields: inputs.length ? [fields] : [], read };
};

/** Returns JSON with another indentation; other text stays as it is. */
const formatJson = (text, indent) => {
  try {
    return JSON.stringify(JSON.parse(text), null, indent);
  } catch {
    return text;
  }
};

const sendTrial = async ([path, body], status, place, code) => {
  const begin = performance.now();
  status.className = "status";
  status.textContent = "Sending …";
  try {
    const response = await request(path.slice(1), body);
    const text = await response.text();
    const duration = performance.now() - begin;
    status.classList.add(response.ok ? "is-good" : "is-bad");
    const time = duration < 10 ? duration.toFixed(1) : Math.round(duration);
    status.textContent = `${response.status} ${response.statusText}, ${time} ms`;
    const pretty = formatJson(text, 2);
    const nMore = pretty.length - MAX_SHOWN;
    code.textContent = nMore > 0 ? `${pretty.slice(0, MAX_SHOWN)}\n… (${nMore} more characters)` : pretty;
  } catch {
    status.classList.add("is-bad");
    status.textContent = "The server does not respond.";
    code.textContent = "";
  }
  show(place, code.textContent !== "");
};

const trialForm = (path, { fields, read }) => {
  const status = make("span", { class: "status", role: "status" }), code = make("code");
  const place = make("pre", { tabindex: "0", hidden: true, "aria-label": `Response of ${path}` }, code);
  const send = make("button", { class: "primary", "aria-label": `Send to ${path}` }, "Send");
  const submit = async (event) => {
    event.preventDefault();
    send.disabled = true;
    await sendTrial(read(), status, place, code);
    send.disabled = false;
  };
  const controls = make("div", { class: "controls" }, send, status);
  return make("form", { on: { submit } }, ...fields, controls, place);
};

/** Returns the fields of an example that the model determines: its own texts, and one of its labels. */
const fieldsOfModel = (path, { label, examples }) => {
  if (path.endsWith("/feedback")) return { text: "", ...label };
  if (!examples.length) return {};
  return path.endsWith("/predict") ? { texts: examples } : { text: examples[0] };
};

const routeSection = (path, method, about, all, ofModel) => {
  const body = schemaOf(about.requestBody), parameters = about.parameters ?? [];
  const [[good, response]] = Object.entries(about.responses);
  const isFeedback = path.endsWith("/feedback");
  const fields = fieldsOf(path, parameters, body ? { ...exampleOf(body, all), ...fieldsOfModel(path, ofModel) } : null);
  const line = make("code"), python = make("code");
  const responseSchema = schemaOf(response), isJson = responseSchema !== undefined;
  const updateExamples = () => {
    const [target, text] = fields.read();
    line.textContent = curl(address(target.slice(1)), text && formatJson(text, 0), needsToken());
    python.textContent = program(address(target.slice(1)), text, needsToken(), isJson);
  };
  const form = trialForm(path, fields);
  form.addEventListener("input", updateExamples);
  document.addEventListener("token-change", updateExamples);
  updateExamples();
  const noteOf = (schema) => make("p", { class: "note" }, resolve(schema, all).description ?? "");
  const schemas = [
    body ? part("Request", noteOf(body), schemaLines(schemaPieces(body, all))) : null,
    isJson ? part(`Response (${good})`, noteOf(responseSchema), schemaLines(schemaPieces(responseSchema, all))) : null,
  ].filter(Boolean);
  return make("section", { class: "card route", id: anchor(path), "aria-labelledby": `${anchor(path)}-title` },
    make("h2", { id: `${anchor(path)}-title` },
      make("span", { class: `method ${method}` }, method.toUpperCase()),
      make("span", { class: "path" }, path)),
    make("p", {}, about.description ?? about.summary ?? ""),
    parameters.length ? part("Parameters", make("div", { class: "scroll" }, parameterTable(parameters, all))) : null,
    make("div", { class: `pair ${schemas.length > 1 ? "both" : ""}` }, schemas),
    part("Try it", isFeedback ? make("p", { class: "note" }, FEEDBACK_NOTE) : null, form),
    make("div", { class: "pair both" }, example("curl", line, path), example("Python", python, path)),
    part("Errors", errorList(about.responses)));
};

// -- all routes ------------------------------------------------------------------------------------------------

/** Returns a label of the model as in a correction, and the examples of its owner; no examples if it can't be read. */
const examplesOfModel = async () => {
  const response = await request("v1/model");
  if (!response.ok) return { label: {}, examples: [] };
  const { multilabel, classes, examples } = await response.json();
  return { label: multilabel ? { labels: [classes[0].label] } : { label: classes[0].label }, examples };
};

const load = async () => {
  const response = await request("openapi.json");
  if (!response.ok) throw new Error((await response.json())?.error?.message ?? `Status ${response.status}.`);
  const all = await response.json();
  const ofModel = await examplesOfModel();
  const routes = Object.entries(all.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, about]) => [path, method, about]));
  byId("about").textContent = `${all.info.title} ${all.info.version}. ${all.info.description.replaceAll("`", "")}`;
  const linkTo = (path) => make("a", { href: `#${anchor(path)}` }, path);
  byId("contents").replaceChildren(...routes.map(([path]) => make("li", {}, linkTo(path))));
  const section = ([path, method, about]) => routeSection(path, method, about, all, ofModel);
  byId("main").replaceChildren(...routes.map(section));
  byId("main").dataset.ready = "yes";
};

byId("not-started").remove();
const tokenChanged = () => document.dispatchEvent(new Event("token-change"));
byId("token").addEventListener("submit", (event) => event.preventDefault());
new MutationObserver(tokenChanged).observe(byId("token"), { attributes: true });
load().catch((problem) => {
  byId("trouble").textContent = `The API reference could not be loaded: ${problem.message}`;
  show(byId("trouble"), true);
});
