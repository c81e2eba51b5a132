// Texts with memory of their own. In every engine a part of a string keeps the whole string in memory, and so does a part of
// that part. A block that was read from a text that grows would keep all of the text as it was then, and each block another
// one: hundreds of megabytes in a minute of a fast model.

/** The same text in memory of its own. */
export function ownText(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
