// The footnotes of one text, for the marks in it.
import type { Token } from "marked";
import { createContext } from "svelte";

export interface TextNotes {
  /** The number of the footnote with a label; undefined where there is none. */
  numberOf: (label: string) => number | undefined;
  /** Whether a definition is in the list of footnotes. */
  isListed: (definition: Token) => boolean;
  /** Goes to a footnote, from its mark. */
  show: (number: number, mark: HTMLElement) => void;
}

export const [textNotes, setTextNotes] = createContext<TextNotes>();
