// The arguments of a tool as conditions can name them, read from its schema. Titles are the server's own words.
import { visible } from "../text/escapes";
import { KINDS, type ConditionKind } from "./conditions";
import { isObject } from "../json";

export interface KnownArgument {
  /** Where it stands, as the policy writes it. */
  at: string;
  label: string;
  type: "text" | "number" | "other";
}

/** More are found by typing where they stand. */
const MOST = 100;
const OF_NUMBERS: ConditionKind[] = ["at_most", "at_least", "between", "exactly"];
const OF_TEXT = KINDS.filter((kind) => !["at_most", "at_least", "between"].includes(kind));

/** The arguments that a schema declares at its top, with the elements of lists. */
export function argumentsOf(schema: unknown): KnownArgument[] {
  const properties = member(schema, "properties");
  if (!isObject(properties)) return [];
  return Object.entries(properties)
    .slice(0, MOST)
    .map(([name, value]) => {
      const list = typeOf(value) === "array";
      const title = member(value, "title");
      const shown = list ? `${visible(name)} › *` : visible(name);
      return {
        at: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}${list ? "/*" : ""}`,
        label: typeof title === "string" && title !== name ? `${shown} – ${visible(title)}` : shown,
        type: kindOf(typeOf(list ? member(value, "items") : value)),
      };
    });
}

/** What else can declare arguments; with one of these it is not said that there is none of a name. */
const ELSEWHERE = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties"];

/** Whether arguments can be sent that the properties of a schema do not name, as far as it says so. */
export function takesUnlisted(schema: unknown): boolean {
  if (ELSEWHERE.some((word) => member(schema, word) !== undefined)) return true;
  const further = member(schema, "additionalProperties");
  return further === true || isObject(further);
}

/** The argument that a condition is on, where a schema that lists its arguments has none of this name; else null. */
export function missingArgument(schema: unknown, at: string): string | null {
  const properties = member(schema, "properties");
  if (!isObject(properties) || takesUnlisted(schema)) return null;
  const name = (at.split("/")[1] ?? "").replaceAll("~1", "/").replaceAll("~0", "~");
  return name === "" || Object.hasOwn(properties, name) ? null : name;
}

/** The conditions that an argument can have; all of them where its type is not known. */
export function kindsFor(argument: KnownArgument | undefined, current: ConditionKind): ConditionKind[] {
  const fits = { text: OF_TEXT, number: OF_NUMBERS, other: KINDS }[argument?.type ?? "other"];
  return fits.includes(current) ? fits : [...fits, current];
}

function kindOf(type: unknown): KnownArgument["type"] {
  if (type === "number" || type === "integer") return "number";
  return type === "string" ? "text" : "other";
}

function typeOf(schema: unknown): unknown {
  return member(schema, "type");
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
