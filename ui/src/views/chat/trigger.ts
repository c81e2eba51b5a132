// The word at the caret that asks for something of a server: "/" for a prompt, "@" for a resource.

export interface Trigger {
  sign: "/" | "@";
  /** What follows the sign. */
  word: string;
  /** Where the sign stands. */
  from: number;
}

/** The trigger that ends at the caret; null where the word there is none. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const [, sign, word] = /(?:^|\s)([/@])(\S*)$/.exec(before) ?? [];
  if (sign !== "/" && sign !== "@") return null;
  // A path is written like a prompt, and no prompt has a second slash.
  if (word === undefined || word.includes("/")) return null;
  return { sign, word, from: caret - word.length - 1 };
}
