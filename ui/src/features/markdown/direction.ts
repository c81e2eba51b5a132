// The direction of a text, by its first letter, as `dir="auto"` has it. That attribute is not used for texts that grow,
// because Chromium reads the whole element again for each node that is added to it.
import type { TextPieces } from "./pieces";

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT =
  /^[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u;

/** How many pieces of a text that grows are looked into. */
const FIRST = 64;

/** The direction of a text. One that comes in pieces has its letters at its beginning, or none until it is done. */
export function directionOf(whole: string, pieces?: TextPieces): "ltr" | "rtl" {
  const text = pieces?.slice(0, FIRST).join("") ?? whole;
  const at = text.search(LETTER);
  return at >= 0 && RIGHT_TO_LEFT.test(text.slice(at)) ? "rtl" : "ltr";
}
