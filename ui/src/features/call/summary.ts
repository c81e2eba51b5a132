// One short line for the arguments of a call, for the eye only: the exact arguments stand in the opened row.
import { visible } from "../text/escapes";

const LONGEST = 90;

/** The first values of the arguments. */
export function summaryOf(given: Record<string, unknown>): string {
  const values = Object.values(given).map(short);
  const line = values.filter((value) => value !== "").join(" · ");
  return visible(line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line);
}

function short(value: unknown): string {
  if (typeof value === "string")
    return value
      .replaceAll(/\s+/g, " ")
      .trim()
      .slice(0, LONGEST + 1);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.length}]`;
  return value === null || value === undefined ? "" : "{…}";
}
