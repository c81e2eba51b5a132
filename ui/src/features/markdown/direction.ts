// The direction of a text, by its first letter, as `dir="auto"` has it. That attribute is not used for texts that grow,
// because Chromium reads the whole element again for each node that is added to it.

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT =
  /^[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u;

export function directionOf(text: string): "ltr" | "rtl" {
  const at = text.search(LETTER);
  return at >= 0 && RIGHT_TO_LEFT.test(text.slice(at)) ? "rtl" : "ltr";
}
