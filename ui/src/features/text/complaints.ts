// Why a text that a user typed is no number that fits.
import { m } from "../../paraglide/messages";
import { number } from "./format";
import { typedCount } from "./typedNumber";

/** Why a number is not taken; undefined for one from `least` to `most`. */
export function outside(value: number, least: number, most: number): string | undefined {
  if (value < least) return m.field_minimum({ limit: number(least) });
  return value > most ? m.field_maximum({ limit: number(most) }) : undefined;
}

/** Why a text is no count from `least` to `most`; undefined for one that is. */
export function noCount(text: string, least: number, most: number): string | undefined {
  const count = typedCount(text);
  return count === undefined ? m.field_integer() : outside(count, least, most);
}
