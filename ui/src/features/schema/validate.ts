// Tells early what the host would refuse anyway: the simple limits of a schema, field by field. The host checks the
// whole schema before anything is sent. Patterns are not run here, because a server could write one that never ends.
import { m } from "../../paraglide/messages";
import type { Field } from "./fields";
import { keyOf } from "./fields";

/** What is wrong, by the key of the field. */
export type Complaints = Map<string, string>;

/** Checks every field of a form. */
export function complaintsOf(fields: Field[]): Complaints {
  const complaints: Complaints = new Map();
  visit(fields, complaints);
  return complaints;
}

function visit(fields: Field[], complaints: Complaints): void {
  for (const field of fields) {
    const complaint = field.present ? complaintOf(field) : field.required ? m.field_required() : undefined;
    if (complaint !== undefined) complaints.set(keyOf(field.path), complaint);
    visit(field.fields, complaints);
  }
}

function complaintOf({ kind, schema, value }: Field): string | undefined {
  switch (kind) {
    case "text":
      return lengthComplaint(String(value), schema);
    case "integer":
      return Number.isInteger(value) ? rangeComplaint(Number(value), schema) : m.field_integer();
    case "number":
      return rangeComplaint(Number(value), schema);
    case "list":
      return countComplaint((value as unknown[]).length, schema);
    default:
      return undefined;
  }
}

function lengthComplaint(text: string, schema: Record<string, unknown>): string | undefined {
  const length = [...text].length;
  const { minLength, maxLength } = schema;
  if (typeof minLength === "number" && length < minLength) return m.field_min_length({ count: minLength });
  if (typeof maxLength === "number" && length > maxLength) return m.field_max_length({ count: maxLength });
  return undefined;
}

function rangeComplaint(value: number, schema: Record<string, unknown>): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof minimum === "number" && value < minimum) return m.field_minimum({ limit: minimum });
  if (typeof maximum === "number" && value > maximum) return m.field_maximum({ limit: maximum });
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    return m.field_above({ limit: exclusiveMinimum });
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    return m.field_below({ limit: exclusiveMaximum });
  return undefined;
}

function countComplaint(count: number, schema: Record<string, unknown>): string | undefined {
  const { minItems, maxItems } = schema;
  if (typeof minItems === "number" && count < minItems) return m.field_min_items({ count: minItems });
  if (typeof maxItems === "number" && count > maxItems) return m.field_max_items({ count: maxItems });
  return undefined;
}
