// Prices and counts of tokens, between what a user writes and what the host keeps.

/** The largest number the host keeps. */
const MOST = 4_294_967_295;

/** A price as the user writes it. */
export function shownPrice(millionths: number | null | undefined): string {
  return millionths === null || millionths === undefined ? "" : String(millionths / 1_000_000);
}

/** A price as the host keeps it; null where nothing was written. */
export function priceToSend(text: string): number | null {
  const value = Number(text.trim().replace(",", "."));
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) return null;
  return Math.min(Math.round(value * 1_000_000), MOST);
}

/** A count of tokens as the host keeps it; null where nothing was written. */
export function tokensToSend(text: string): number | null {
  const value = Number(text.replace(/[\s.,]/g, ""));
  return text.trim() === "" || !Number.isInteger(value) || value <= 0 ? null : Math.min(value, MOST);
}
