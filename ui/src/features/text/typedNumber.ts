// Numbers as users type them, with a point or a comma before the fraction.

const NUMBER = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$/;
/** "10,000" is ten thousand to some and ten to others, so it is neither. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2},\d{3}$/;

/** The number that a text is; undefined where it is none, or could be two. */
export function typedNumber(text: string): number | undefined {
  const typed = text.trim();
  if (!NUMBER.test(typed) || AMBIGUOUS.test(typed)) return undefined;
  const value = Number(typed.replace(",", "."));
  return Number.isFinite(value) ? value : undefined;
}
