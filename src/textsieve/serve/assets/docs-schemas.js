// A JSON Schema as lines that look like the value: names, types and descriptions.
//
// The parameter `all` is the OpenAPI document, in which references are resolved.

const LABEL_TYPES = ["string", "boolean", "number"];

/** Returns a schema with its reference resolved; fields next to the reference are kept. */
export const resolve = (schema, all) => {
  if (!schema?.$ref) return schema ?? {};
  const { $ref, ...beside } = schema;
  const target = $ref.slice(2).split("/").reduce((node, name) => node?.[name], all);
  return { ...resolve(target, all), ...beside };
};

/** Returns the alternatives of a schema without null, and whether null is allowed. */
const alternatives = (schema, all) => {
  const options = (schema.anyOf ?? [schema]).map((option) => resolve(option, all));
  return [options.filter(({ type }) => type !== "null"), options.some(({ type }) => type === "null")];
};

const limits = ({ minimum, maximum, maxLength }) => {
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` from ${minimum}`;
  if (maximum !== undefined) return ` up to ${maximum}`;
  return maxLength === undefined ? "" : ` of up to ${maxLength} characters`;
};

/** Returns the name of a type that has no parts. */
const typeName = (schemas) => {
  const types = new Set(schemas.map((schema) => (schema.type ?? "anything") + limits(schema)));
  if (types.has("number")) types.delete("integer");
  const isLabel = types.size === LABEL_TYPES.length && LABEL_TYPES.every((type) => types.has(type));
  return isLabel ? "string, number or boolean" : [...types].join(" or ");
};

/**
 * Returns the lines of a schema in pieces `[text, kind]`, where the kind is "key", "comment", or "". The value of an
 * optional property is shown without "or null", because it can be left out.
 */
const pieces = (schema, all, indent, isOptional) => {
  const [options, mayBeNull] = alternatives(resolve(schema, all), all);
  const orNull = mayBeNull && !isOptional ? " or null" : "";
  const inner = `${indent}  `;
  if (options.length === 1) {
    const [option] = options;
    if (option.properties) return [["{\n", ""], ...properties(option, all, inner), [`${indent}}${orNull}`, ""]];
    if (option.prefixItems) {
      const item = (part, index) => [[index ? ", " : "", ""], ...pieces(part, all, inner)];
      return [["[", ""], ...option.prefixItems.flatMap(item), [`]${orNull}`, ""]];
    }
    if (option.type === "array") return [["[", ""], ...pieces(option.items ?? {}, all, indent), [`, …]${orNull}`, ""]];
    if (typeof option.additionalProperties === "object") {
      return [["{name: ", ""], ...pieces(option.additionalProperties, all, indent), [`, …}${orNull}`, ""]];
    }
  }
  return [[typeName(options) + orNull, ""]];
};

/** Returns a line for each property of an object: its name, its type, and its description as a comment. */
const properties = (schema, all, indent) =>
  Object.entries(schema.properties).flatMap(([name, property]) => {
    const isOptional = !(schema.required ?? []).includes(name);
    const notes = [isOptional ? "Optional." : "", (resolve(property, all).description ?? "").replaceAll("`", "")];
    const about = notes.filter(Boolean).join(" ");
    const comment = about ? [[`  # ${about}`, "comment"]] : [];
    const value = pieces(property, all, indent, isOptional);
    const [first, ...rest] = value;
    const opens = rest.length > 0 && first[0].endsWith("\n"); // the comment follows the opening bracket
    const typeAndComment = opens
      ? [[first[0].trimEnd(), ""], ...comment, ["\n", ""], ...rest]
      : [...value, ...comment];
    return [[indent, ""], [name, "key"], [": ", ""], ...typeAndComment, ["\n", ""]];
  });

export const schemaPieces = (schema, all) => pieces(schema, all, "", false);

/** Returns the type of a parameter. */
export const typeOf = (schema, all) => typeName(alternatives(resolve(schema, all), all)[0]);

/** Returns an example that matches a schema, with an example or a simple value for each required property. */
export const exampleOf = (schema, all) => {
  const { examples, properties: parts, required = [], type, items = {} } = resolve(schema, all);
  if (examples?.length) return examples[0];
  if (parts) {
    const requiredParts = Object.entries(parts).filter(([name]) => required.includes(name));
    return Object.fromEntries(requiredParts.map(([name, part]) => [name, exampleOf(part, all)]));
  }
  if (type === "array") return [exampleOf(items, all)];
  return { string: "some text", integer: 1, number: 0.5, boolean: true }[type] ?? null;
};
