// One short line for the arguments of a call, for the eye only: the exact arguments stand in the opened row.
import { visible } from "../text/escapes";
import { shortened } from "../text/shortened";

const LONGEST = 90;
const LONGEST_NAME = 40;
const SHORTEST_VALUE = 12;

/** The arguments by name. Where the room is short, values are shortened and names are not. */
export function summaryOf(given: Record<string, unknown>): string {
  const shown = Object.entries(given)
    .map(([name, value]) => ({ name: shortened(oneLine(name), LONGEST_NAME), value: short(value) }))
    .filter(({ value }) => value !== "");
  const names = shown.reduce((sum, { name }) => sum + name.length + 4, 0);
  const room = Math.max(SHORTEST_VALUE, Math.floor((LONGEST - names) / shown.length));
  const line = shown.map(({ name, value }) => `${name}: ${shortened(value, room)}`).join(", ");
  return visible(line.length > 2 * LONGEST ? `${line.slice(0, 2 * LONGEST)}…` : line);
}

function short(value: unknown): string {
  if (typeof value === "string") return oneLine(value.slice(0, 4 * LONGEST));
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.length}]`;
  return value === null || value === undefined ? "" : "{…}";
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
