// A request as a line for a shell, and as a program in Python that needs nothing but Python.

const shellQuoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** JSON as Python writes it. */
const python = (value) => {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object") {
    return `{${Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${python(each)}`).join(", ")}}`;
  }
  return JSON.stringify(value);
};

export const curl = (address, body, hasToken) =>
  ["curl", shellQuoted(address)]
    .concat(hasToken ? ['-H "Authorization: Bearer $TEXTSIEVE_TOKEN"'] : [])
    .concat(body === null ? [] : ["-H 'Content-Type: application/json'", `-d ${shellQuoted(body)}`])
    .join(" ");

/** `body` is text; if it is no JSON, there is no program for it. */
export const program = (address, body, hasToken, isJson) => {
  let value = null;
  try {
    value = body === null ? null : python(JSON.parse(body));
  } catch {
    return "# The body is no JSON.";
  }
  const headers = [
    ...(value === null ? [] : ['"Content-Type": "application/json"']),
    ...(hasToken ? ['"Authorization": "Bearer " + os.environ["TEXTSIEVE_TOKEN"]'] : []),
  ];
  const given = [
    JSON.stringify(address),
    ...(value === null ? [] : [`json.dumps(${value}).encode()`]),
    ...(headers.length ? [`headers={${headers.join(", ")}}`] : []),
  ];
  const request = given.length > 1 ? ["", ...given.map((each) => `    ${each},`), ""].join("\n") : given[0];
  return [
    ...(isJson ? ["import json"] : []),
    ...(hasToken ? ["import os"] : []),
    "import urllib.request",
    "",
    `request = urllib.request.Request(${request})`,
    "with urllib.request.urlopen(request) as answer:",
    isJson ? "    print(json.load(answer))" : "    print(answer.read().decode())",
  ].join("\n");
};
