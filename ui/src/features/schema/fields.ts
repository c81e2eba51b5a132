// Reads a JSON Schema and a value together as a tree of fields to edit. The value decides what is shown: everything that
// will be sent has a field, whether the schema names it or not, and what the schema names but the value lacks is
// offered. Nothing is converted on the way, so a form that is not touched changes nothing. What has no simple field
// (unions, deep nesting, mixed lists) is edited as JSON.
import { isObject } from "../json";

/** Names and positions from the root. */
export type Path = readonly (string | number)[];

/** An object that may be a schema; nothing about it is trusted. */
type Schema = Record<string, unknown>;

export type Kind = "text" | "number" | "integer" | "boolean" | "choice" | "object" | "list" | "json";

export interface Field {
  path: Path;
  name: string;
  kind: Kind;
  schema: Schema;
  /** The server's words on it. */
  description: string;
  required: boolean;
  /** Whether the schema names it. */
  declared: boolean;
  /** Whether the value has it. */
  present: boolean;
  value: unknown;
  /** The values to choose from, of a `choice`. */
  choices: unknown[];
  /** For `object` and `list`. */
  fields: Field[];
}

const DEEPEST = 4;

/** The kinds of fields whose value was typed, by key. One holds while its field has that value. */
type TypedKinds = ReadonlyMap<string, { kind: Kind; value: unknown }>;

/** What is read together with a value. */
interface Source {
  root: Schema;
  typed: TypedKinds | undefined;
}

/** The fields of an object. */
export function fieldsOf(schema: unknown, value: Record<string, unknown>, typed?: TypedKinds): Field[] {
  const root = asSchema(schema);
  return childrenOf(root, value, [], { root, typed }, 0);
}

/** The server's words on a field, as much as a line below it holds. */
export function shortDescription({ description }: Field): string {
  const most = 300;
  return description.length > most ? `${description.slice(0, most)}…` : description;
}

/** One text for a path, to be used as a key. */
export function keyOf(path: Path): string {
  return JSON.stringify(path);
}

function childrenOf(schema: Schema, value: Record<string, unknown>, path: Path, from: Source, depth: number): Field[] {
  const properties = asSchema(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = [...new Set([...Object.keys(properties), ...Object.keys(value)])];
  return names.map((name) => {
    const declared = Object.hasOwn(properties, name);
    const present = Object.hasOwn(value, name);
    return {
      ...fieldOf(declared ? properties[name] : {}, value[name], present, [...path, name], from, depth),
      name,
      declared,
      required: required.includes(name),
    };
  });
}

function fieldOf(given: unknown, value: unknown, present: boolean, path: Path, from: Source, depth: number): Field {
  const schema = resolved(asSchema(given), from.root);
  const typed = from.typed?.get(keyOf(path));
  const kind = present && typed && typed.value === value ? typed.kind : kindOf(schema, value, present, depth);
  const field: Field = {
    path,
    name: String(path.at(-1)),
    kind,
    schema,
    description: typeof schema.description === "string" ? schema.description : "",
    required: false,
    declared: true,
    present,
    value,
    choices: kind === "choice" ? choicesOf(schema) : [],
    fields: [],
  };
  if (kind === "object" && present)
    field.fields = childrenOf(schema, value as Record<string, unknown>, path, from, depth + 1);
  if (kind === "list" && present) {
    field.fields = (value as unknown[]).map((item, index) => ({
      ...fieldOf(schema.items, item, true, [...path, index], from, depth + 1),
      required: true,
    }));
  }
  return field;
}

/** What kind of field fits both the schema and the value that is there. */
function kindOf(schema: Schema, value: unknown, present: boolean, depth: number): Kind {
  const choices = choicesOf(schema);
  if (choices.length > 0 && (!present || choices.includes(value))) return "choice";
  const declared = typeOf(schema);
  if (!present) {
    if (declared === "object" || declared === "array" || declared === undefined) return "json";
    return declared === "string" ? "text" : declared;
  }
  switch (typeof value) {
    case "string":
      return declared === undefined || declared === "string" ? "text" : "json";
    case "number":
      return declared === "integer" ? "integer" : declared === undefined || declared === "number" ? "number" : "json";
    case "boolean":
      return declared === undefined || declared === "boolean" ? "boolean" : "json";
    default:
      if (depth >= DEEPEST || value === null) return "json";
      if (Array.isArray(value)) return value.every(isScalar) ? "list" : "json";
      return typeof value === "object" ? "object" : "json";
  }
}

function typeOf(schema: Schema): "string" | "number" | "integer" | "boolean" | "object" | "array" | undefined {
  const known = ["string", "number", "integer", "boolean", "object", "array"] as const;
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== "null");
  return types.length === 1 ? known.find((type) => type === types[0]) : undefined;
}

/** The values of an `enum`; one that a server repeats is one choice. */
function choicesOf(schema: Schema): unknown[] {
  const options: unknown[] = Array.isArray(schema.enum) ? schema.enum : [];
  if (options.length > 200 || !options.every((option) => isScalar(option) && option !== null)) return [];
  return [...new Map(options.map((option) => [JSON.stringify(option), option])).values()];
}

/** Follows references inside the same schema, a few steps far. */
function resolved(schema: Schema, root: Schema): Schema {
  let now = schema;
  for (let step = 0; step < 4 && typeof now.$ref === "string" && now.$ref.startsWith("#/"); step++) {
    const steps = now.$ref.slice(2).split("/");
    const target = steps.reduce<unknown>(
      (at, name) => asSchema(at)[name.replaceAll("~1", "/").replaceAll("~0", "~")],
      root,
    );
    now = { ...asSchema(target), ...(typeof now.description === "string" ? { description: now.description } : {}) };
  }
  return now;
}

function isScalar(value: unknown): boolean {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function asSchema(value: unknown): Schema {
  return isObject(value) ? (value as Schema) : {};
}
