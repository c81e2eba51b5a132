// The one search field of the ledger: free words, and tokens such as `server:notes` or `file:"/home/ada/My notes"`.

const TOKENS = ["server", "tool", "file", "host", "kind", "after", "before"] as const;
export type Token = (typeof TOKENS)[number];

export interface LedgerSearch {
  /** What stands in no token. */
  words: string;
  tokens: Partial<Record<Token, string>>;
}

/** Words and tokens. The last token of a kind counts; what looks like a token of no kind is a word. */
export function readSearch(text: string): LedgerSearch {
  const tokens: LedgerSearch["tokens"] = {};
  const words: string[] = [];
  for (const [whole, name = "", quoted, plain] of text.matchAll(/(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/gi)) {
    const token = TOKENS.find((one) => one === name.toLowerCase());
    const value = quoted ?? plain ?? "";
    if (token) tokens[token] = value;
    else words.push(whole.replaceAll('"', ""));
  }
  return { words: words.join(" "), tokens };
}

/** The text with one more token, in place of an earlier one of the same kind. */
export function withToken(text: string, token: Token, value: string): string {
  const rest = text
    .replaceAll(new RegExp(String.raw`(^|\s)${token}:(?:"[^"]*"?|\S+)`, "gi"), " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const written = /\s/.test(value) ? `"${value}"` : value;
  return [rest, `${token}:${written}`].filter(Boolean).join(" ");
}

/** The first moment of a day written as 2026-11-20, in the time of the window; null where it is no day. */
export function dayStart(text: string | undefined): number | null {
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text ?? "") ?? [];
  if (year === undefined) return null;
  const ms = new Date(Number(year), Number(month) - 1, Number(day)).getTime();
  return Number.isNaN(ms) ? null : ms;
}
