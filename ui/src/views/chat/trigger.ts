// The word at the caret that asks for something of a server: "/" for a prompt at the start of the message, "@" for a
// resource at the start of a word. The wide signs of Chinese input methods count as well.

export interface Trigger {
  sign: "/" | "@";
  /** What follows the sign, up to the caret. */
  word: string;
  /** Where the sign stands. */
  from: number;
}

/** The most characters of a word that is looked for. */
const LONGEST = 80;
/** Further slashes make it a path. */
const PROMPT = /^\s*[/／]([^\s/／]*)$/;
/** Chinese and Japanese put no space before a word; letters, digits and dots before the sign make it an address. */
const RESOURCE =
  /(?:^|[\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Ps}\p{Pi}"'，。、；：！？）」』”])[@＠]([^\s@＠]*)$/u;

/** The trigger that ends at the caret; null where the word there is none. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const prompt = PROMPT.exec(before)?.[1];
  // One character for the sign and one for what stands before it.
  const word = prompt ?? RESOURCE.exec(before.slice(-LONGEST - 2))?.[1];
  if (word === undefined || word.length > LONGEST) return null;
  return { sign: prompt === undefined ? "@" : "/", word, from: caret - word.length - 1 };
}
