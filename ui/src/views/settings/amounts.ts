// Prices and counts of tokens, between what a user writes and what the host keeps.
import { typedCount, typedNumber } from "../../features/text/typedNumber";

/** The largest number the host keeps. */
const MOST = 4_294_967_295;

/** A price as the host keeps it; null where nothing was written, or no price. */
export function priceToSend(text: string): number | null {
  const value = typedNumber(text);
  if (value === undefined || value < 0) return null;
  return Math.min(Math.round(value * 1_000_000), MOST);
}

/** Whether something was written that is no price. */
export function isNoPrice(text: string): boolean {
  return text.trim() !== "" && priceToSend(text) === null;
}

/** A count of tokens as the host keeps it; null where nothing was written, or no count. */
export function tokensToSend(text: string): number | null {
  const count = typedCount(text);
  return count ? Math.min(count, MOST) : null;
}
