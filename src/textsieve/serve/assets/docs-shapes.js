// What JSON Schema says of a value, as lines that look like the value: names, types, and a word on each.

const LABEL = ["string", "boolean", "number"];

/** A schema with its reference followed; what stands beside the reference counts, too. */
export const resolved = (schema, all) => {
  if (!schema?.$ref) return schema ?? {};
  const { $ref, ...beside } = schema;
  const found = $ref.slice(2).split("/").reduce((at, name) => at?.[name], all);
  return { ...resolved(found, all), ...beside };
};

/** The alternatives of a schema, without null, and whether there was a null. */
const alternatives = (schema, all) => {
  const found = (schema.anyOf ?? [schema]).map((each) => resolved(each, all));
  return [found.filter((each) => each.type !== "null"), found.some((each) => each.type === "null")];
};

const limits = (schema) => {
  const { minimum, maximum, maxLength } = schema;
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` from ${minimum}`;
  if (maximum !== undefined) return ` up to ${maximum}`;
  return maxLength === undefined ? "" : ` of up to ${maxLength} characters`;
};

/** A type in a few words, of what has no parts. */
const word = (schemas) => {
  const words = new Set(schemas.map((each) => (each.type ?? "anything") + limits(each)));
  if (words.has("number")) words.delete("integer");
  const isLabel = words.size === LABEL.length && LABEL.every((each) => words.has(each));
  return isLabel ? "string, number or boolean" : [...words].join(" or ");
};

/** Pieces of text, each with what it is: "key", "comment", or "". */
const pieces = (schema, all, indent, isOptional) => {
  const [found, mayBeNull] = alternatives(resolved(schema, all), all);
  const orNull = mayBeNull && !isOptional ? " or null" : "";
  const inner = `${indent}  `;
  if (found.length === 1) {
    const [one] = found;
    if (one.properties) return [["{\n", ""], ...properties(one, all, inner), [`${indent}}${orNull}`, ""]];
    if (one.prefixItems) {
      const item = (each, at) => [[at ? ", " : "", ""], ...pieces(each, all, inner)];
      return [["[", ""], ...one.prefixItems.flatMap(item), [`]${orNull}`, ""]];
    }
    if (one.type === "array") return [["[", ""], ...pieces(one.items ?? {}, all, indent), [`, …]${orNull}`, ""]];
    if (typeof one.additionalProperties === "object") {
      return [["{name: ", ""], ...pieces(one.additionalProperties, all, indent), [`, …}${orNull}`, ""]];
    }
  }
  return [[word(found) + orNull, ""]];
};

const properties = (schema, all, indent) =>
  Object.entries(schema.properties).flatMap(([name, each]) => {
    const isOptional = !(schema.required ?? []).includes(name);
    const words = [isOptional ? "may be left out" : "", resolved(each, all).description ?? ""];
    const about = words.filter(Boolean).join("; ");
    const comment = about ? [[`  # ${about}`, "comment"]] : [];
    const value = pieces(each, all, indent, isOptional);
    const [first, ...rest] = value;
    const opens = rest.length > 0 && first[0].endsWith("\n"); // the word stands where the value begins
    const shown = opens ? [[first[0].trimEnd(), ""], ...comment, ["\n", ""], ...rest] : [...value, ...comment];
    return [[indent, ""], [name, "key"], [": ", ""], ...shown, ["\n", ""]];
  });

export const shape = (schema, all) => pieces(schema, all, "", false);

/** The type of a parameter. */
export const typeOf = (schema, all) => word(alternatives(resolved(schema, all), all)[0]);

/** A value that is as the schema has it: of each name that must be there its example, or the simplest. */
export const exampleOf = (schema, all) => {
  const found = resolved(schema, all);
  if (found.examples?.length) return found.examples[0];
  if (found.properties) {
    const needed = Object.entries(found.properties).filter(([name]) => (found.required ?? []).includes(name));
    return Object.fromEntries(needed.map(([name, each]) => [name, exampleOf(each, all)]));
  }
  if (found.type === "array") return [exampleOf(found.items ?? {}, all)];
  return { string: "some text", integer: 1, number: 0.5, boolean: true }[found.type] ?? null;
};
