// Says in words where in a tool's definition a difference is. The place comes as a JSON pointer (RFC 6901). It is read
// token by token, so that an argument named `path.description` is never taken for the description of `path`. Names of
// arguments are the server's and are returned apart, to be shown as quotations.
import { m } from "../../paraglide/messages";
import { slot } from "../text/rich";

/** A sentence with at most one value in it. */
export interface Place {
  sentence: string;
  values: string[];
}

const FIXED: Record<string, () => string> = {
  "/description": m.place_description,
  "/title": m.place_title,
  "/annotations/title": m.place_annotation_title,
  "/annotations/readOnlyHint": m.place_claim_read_only,
  "/annotations/destructiveHint": m.place_claim_destructive,
  "/annotations/idempotentHint": m.place_claim_idempotent,
  "/annotations/openWorldHint": m.place_claim_open_world,
  "/inputSchema/required": m.place_required,
  "/inputSchema/additionalProperties": m.place_additional,
};

/** The place that a JSON pointer names. */
export function placeOf(pointer: string): Place {
  const words = Object.hasOwn(FIXED, pointer) ? FIXED[pointer] : undefined;
  if (words) return { sentence: words(), values: [] };
  const [first, ...tokens] = tokensOf(pointer);
  if (first === "inputSchema") return placeOfInput(tokens);
  if (first === "outputSchema") return { sentence: m.place_output(), values: [] };
  return { sentence: m.place_other({ name: slot(0) }), values: [pointer] };
}

/** The reference tokens of a pointer, unescaped. */
function tokensOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function placeOfInput(tokens: string[]): Place {
  const { name, rest } = argumentOf(tokens);
  if (name === null) return { sentence: m.place_input(), values: [] };
  return { sentence: ofArgument(rest)({ name: slot(0) }), values: [name] };
}

/** The argument that the first tokens lead to, through objects and lists, and the tokens that are left. */
function argumentOf(tokens: string[]): { name: string | null; rest: string[] } {
  let name: string | null = null;
  let rest = tokens;
  for (;;) {
    const [keyword, property] = rest;
    if (keyword === "properties" && property !== undefined) {
      name = name === null ? quoted(property) : `${name} › ${quoted(property)}`;
      rest = rest.slice(2);
    } else if (keyword === "items" && name !== null && rest.length > 1) {
      name += "[]";
      rest = rest.slice(1);
    } else return { name, rest };
  }
}

/** Plain names as they are, all others as JSON text, so that no name can look like a path of names. */
function quoted(name: string): string {
  return /^[\p{L}\p{N}_-]+$/u.test(name) ? name : JSON.stringify(name);
}

function ofArgument(rest: string[]): (gaps: { name: string }) => string {
  if (rest.length !== 1) return m.place_argument;
  switch (rest[0]) {
    case "description":
    case "title":
      return m.place_argument_words;
    case "type":
    case "format":
    case "pattern":
      return m.place_argument_kind;
    case "enum":
      return m.place_argument_choices;
    case "default":
      return m.place_argument_default;
    default:
      return m.place_argument;
  }
}
