// Says in words where in a tool's definition a difference is. Names of arguments are the server's and are returned
// apart, to be shown as quotations.
import { m } from "../../paraglide/messages";
import { slot } from "../text/rich";

/** A sentence with at most one value in it. */
export interface Place {
  sentence: string;
  values: string[];
}

/** The place a path names. */
export function placeOf(path: string): Place {
  const inArgument = /^inputSchema\.properties\.(.+?)(?:\.(description|title|type|enum|default|format|pattern))?$/.exec(
    path,
  );
  if (inArgument?.[1] !== undefined) {
    const values = [inArgument[1]];
    switch (inArgument[2]) {
      case "description":
      case "title":
        return { sentence: m.place_argument_words({ name: slot(0) }), values };
      case "type":
      case "format":
      case "pattern":
        return { sentence: m.place_argument_kind({ name: slot(0) }), values };
      case "enum":
        return { sentence: m.place_argument_choices({ name: slot(0) }), values };
      case "default":
        return { sentence: m.place_argument_default({ name: slot(0) }), values };
      default:
        return { sentence: m.place_argument({ name: slot(0) }), values };
    }
  }
  const fixed: Record<string, () => string> = {
    description: m.place_description,
    title: m.place_title,
    "annotations.title": m.place_title,
    "annotations.readOnlyHint": m.place_claim_read_only,
    "annotations.destructiveHint": m.place_claim_destructive,
    "annotations.idempotentHint": m.place_claim_idempotent,
    "annotations.openWorldHint": m.place_claim_open_world,
    "inputSchema.required": m.place_required,
    "inputSchema.additionalProperties": m.place_additional,
  };
  const words = fixed[path];
  if (words) return { sentence: words(), values: [] };
  if (path.startsWith("outputSchema")) return { sentence: m.place_output(), values: [] };
  if (path.startsWith("inputSchema")) return { sentence: m.place_input(), values: [] };
  return { sentence: m.place_other({ name: slot(0) }), values: [path] };
}
