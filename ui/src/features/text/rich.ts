// Puts values into a sentence of the catalogue as elements of their own, so that a name can be set apart and escaped
// without ever being part of the sentence's text.

/** A sentence with gaps, and the values for them. */
export interface Sentence {
  sentence: string;
  values: string[];
}

const FIRST = 0xe000;

/** The stand-in for value number `index`, to be given to a message instead of the value. */
export function slot(index: number): string {
  return String.fromCharCode(FIRST + index);
}

/** The sentence, cut where values belong: strings, and numbers of values. */
export function cut(sentence: string): (string | number)[] {
  const parts: (string | number)[] = [];
  let plain = "";
  for (const character of sentence) {
    const index = character.charCodeAt(0) - FIRST;
    if (index >= 0 && index < 16) {
      if (plain) parts.push(plain);
      plain = "";
      parts.push(index);
    } else {
      plain += character;
    }
  }
  if (plain) parts.push(plain);
  return parts;
}

/** The sentence as plain text, with the values in it. */
export function filled(sentence: string, values: readonly string[]): string {
  return cut(sentence)
    .map((part) => (typeof part === "number" ? (values[part] ?? "") : part))
    .join("");
}
