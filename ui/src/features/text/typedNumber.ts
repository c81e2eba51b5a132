// Numbers as users type them: with a point or a comma before the fraction, or counts, which have none.

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

const COUNT = /^\d+$|^\d{1,3}([\s.,]\d{3})+$/;

/** The count that a text is, with or without separators between thousands; undefined where it is none. */
export function typedCount(text: string): number | undefined {
  const typed = text.trim();
  return COUNT.test(typed) ? Number(typed.replace(/[\s.,]/g, "")) : undefined;
}
