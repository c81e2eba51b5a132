// Amounts of money, between what a user writes and what the host keeps.
import { m } from "../../paraglide/messages";
import { typedNumber } from "../text/typedNumber";

/** An amount in millionths as the user writes it. */
export function shownAmount(millionths: number | null | undefined): string {
  return millionths === null || millionths === undefined ? "" : String(millionths / 1_000_000);
}

/** An amount of money as the host keeps it, in millionths; null where nothing was written, or no amount. */
export function amountToSend(text: string): number | null {
  const typed = typedNumber(text);
  if (typed === undefined) return null;
  const value = Math.round(typed * 1_000_000);
  return !Number.isSafeInteger(value) || value < 0 ? null : value;
}

/** Why a text is no amount of money; undefined where it is one, or nothing was written. */
export function noAmount(text: string): string | undefined {
  return amountToSend(text) === null && text.trim() !== "" ? m.field_number() : undefined;
}
