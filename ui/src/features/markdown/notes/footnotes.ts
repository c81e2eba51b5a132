// The footnotes of one message: those that its text refers to, numbered in the order in which it does. A definition that
// is not listed stays the text it is: one that nothing refers to, a second one of a label, or one beyond the bound.
import type { Token } from "marked";
import { LineSearch } from "../lineSearch";
import type { TextPieces } from "../pieces";
import { ANY_DEFINITION, type MarkToken, type NoteToken } from "./extension";

/** A footnote as it is listed. */
export interface Footnote {
  number: number;
  tokens: Token[];
}

/** The most footnotes of a message. */
const MOST_NOTES = 500;
const NONE: readonly string[] = [];

/** The footnotes of a message as it grows. */
export class Footnotes {
  /** The numbers by label. The map stays the same one while it would be equal. */
  numbers: ReadonlyMap<string, number> = new Map();
  /** The definitions that are listed. */
  listed: ReadonlySet<Token> = new Set();
  #labels = new WeakMap<object, readonly string[]>();
  readonly #definition = new LineSearch(ANY_DEFINITION);

  read(text: string, tokens: readonly Token[], pieces?: TextPieces): Footnote[] {
    const defined = this.#definition.test(text, pieces) ? definitions(tokens) : new Map<string, NoteToken>();
    if (defined.size === 0) return this.#numbered([], defined);
    const order = new Set<string>();
    const take = (labels: readonly string[]) => {
      for (const label of labels) if (order.size < MOST_NOTES && defined.has(label)) order.add(label);
    };
    for (const token of tokens) if (token.type !== "footnote") take(this.#of(token));
    // What is added while the footnotes are read is read as well.
    for (const label of order) for (const token of defined.get(label)?.tokens ?? []) take(this.#of(token));
    return this.#numbered([...order], defined);
  }

  #numbered(order: string[], defined: Map<string, NoteToken>): Footnote[] {
    const isSame = order.length === this.numbers.size && order.every((label, at) => this.numbers.get(label) === at + 1);
    if (!isSame) this.numbers = new Map(order.map((label, at) => [label, at + 1]));
    const notes = order.flatMap((label) => defined.get(label) ?? []);
    this.listed = new Set(notes);
    return notes.map(({ tokens }, at) => ({ number: at + 1, tokens: tokens ?? [] }));
  }

  /** The labels that a token refers to, in order. A token that was read before is not read again. */
  #of(token: Token): readonly string[] {
    const known = this.#labels.get(token);
    if (known) return known;
    const labels: string[] = [];
    if (token.type === "footnote-mark") labels.push((token as MarkToken).text);
    for (const inner of inside(token)) for (const label of this.#of(inner)) labels.push(label);
    const found = labels.length === 0 ? NONE : labels;
    this.#labels.set(token, found);
    return found;
  }
}

/** The first definition of each label. */
function definitions(tokens: readonly Token[]): Map<string, NoteToken> {
  const found = new Map<string, NoteToken>();
  for (const token of tokens as NoteToken[]) {
    if (token.type === "footnote" && !found.has(token.label)) found.set(token.label, token);
  }
  return found;
}

/** The tokens that a token consists of: of a list its items, of a table its cells. */
function inside(token: Token): readonly Token[] {
  const { tokens, items, header, rows, more } = token as Partial<Record<"tokens" | "items" | "header", Token[]>> & {
    rows?: Token[][];
    more?: Token[] | Token[][];
  };
  return tokens ?? [...(items ?? header ?? []), ...(rows ?? []).flat(), ...(more ?? []).flat()];
}
