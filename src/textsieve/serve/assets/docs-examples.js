// A request as a curl command, and as a Python program that needs only the standard library.

const quoteForShell = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns a JSON value as a Python literal. */
const toPython = (value) => {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(toPython).join(", ")}]`;
  if (typeof value === "object") {
    return `{${Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${toPython(item)}`).join(", ")}}`;
  }
  return JSON.stringify(value);
};

export const curl = (address, body, hasToken) =>
  ["curl", quoteForShell(address)]
    .concat(hasToken ? ['-H "Authorization: Bearer $TEXTSIEVE_TOKEN"'] : [])
    .concat(body === null ? [] : ["-H 'Content-Type: application/json'", `-d ${quoteForShell(body)}`])
    .join(" ");

/** Returns a Python program for a request; `body` is the text of the body. */
export const program = (address, body, hasToken, isJson) => {
  let value = null;
  try {
    value = body === null ? null : toPython(JSON.parse(body));
  } catch {
    return "# The body is not JSON.";
  }
  const headers = [
    ...(value === null ? [] : ['"Content-Type": "application/json"']),
    ...(hasToken ? ['"Authorization": "Bearer " + os.environ["TEXTSIEVE_TOKEN"]'] : []),
  ];
  const args = [
    JSON.stringify(address),
    ...(value === null ? [] : [`json.dumps(${value}).encode()`]),
    ...(headers.length ? [`headers={${headers.join(", ")}}`] : []),
  ];
  const request = args.length > 1 ? ["", ...args.map((arg) => `    ${arg},`), ""].join("\n") : args[0];
  return [
    ...(isJson ? ["import json"] : []),
    ...(hasToken ? ["import os"] : []),
    "import urllib.request",
    "",
    `request = urllib.request.Request(${request})`,
    "with urllib.request.urlopen(request) as response:",
    isJson ? "    print(json.load(response))" : "    print(response.read().decode())",
  ].join("\n");
};
