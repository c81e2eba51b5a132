// What of a text is mathematics: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`. A dollar is mostly money or a variable, so a single
// one follows Pandoc's rule (no space inside of either, no digit after the second) and is also text where a letter follows
// the second, or where words without a mark of TeX stand between the two.

/** A formula at the beginning of a text: all of it, what is between its marks, and whether it has lines of its own. */
export interface Formula {
  raw: string;
  tex: string;
  display: boolean;
}

/** The most characters of a formula, in a line and on lines of its own. Each expression looks at no more of a text. */
const DOLLAR = /^\$(?![\s$])((?:[^$\\`\n]|\\[^\n]|\n(?![ \t]*\n)){1,1000})\$(?![\w$])/;
const DOLLARS = /^\$\$((?:[^$\\`\n]|\\[^\n]|\\?\n(?![ \t]*\n)){1,4000})\$\$(?!\$)/;
const ROUND = /^\\\(((?:[^\\\n]|\\(?!\))[^\n]|\\?\n(?![ \t]*\n)){1,1000})\\\)/;
const SQUARE = /^\\\[((?:[^\\\n]|\\(?!\])[^\n]|\\?\n(?![ \t]*\n)){1,4000})\\\](?![([])/;
/** The first line of a formula on lines of its own, and the empty line that none goes beyond. */
const OPENING = /^ {0,3}(?:\$\$|\\\[)[ \t]*\n/;
const EMPTY_LINE = /\n[ \t]*\n/;
/** Words one after the other, or characters that no formula has outside of `\text`. */
const WORDS = /(?:^\s*\d.*\s|\p{L}{2}\s+)\p{L}{2}|\p{Script=Han}/su;
const TEX = /[\\^_{=]/;

/** The formula that a text begins with. `before` is the text before it in the same line. */
export function formulaAt(text: string, before: string): Formula | null {
  const display = DOLLARS.exec(text) ?? SQUARE.exec(text);
  if (display) return formula(display, true);
  const round = ROUND.exec(text);
  if (round) return formula(round, false);
  const dollar = /[\w$\\]$/.test(before) ? null : DOLLAR.exec(text);
  return dollar && !/\s$/.test(dollar[1] ?? "") ? formula(dollar, false) : null;
}

function formula([raw, tex = ""]: RegExpExecArray, display: boolean): Formula | null {
  return tex.trim() === "" || (WORDS.test(tex) && !TEX.test(tex)) ? null : { raw, tex, display };
}

/** The formula on lines of its own that a text begins with. */
export function formulaBlockAt(text: string): Formula | null {
  const indent = /^ {0,3}(?=\$\$|\\\[)/.exec(text)?.[0];
  const found = indent === undefined ? null : formulaAt(text.slice(indent.length), "");
  const end = found && /^[ \t]*(?:\n|$)/.exec(text.slice((indent ?? "").length + found.raw.length))?.[0];
  return found?.display && typeof end === "string" ? { ...found, raw: `${indent}${found.raw}${end}` } : null;
}

/** The length of a text that may become a formula on lines of its own once more of it is there; 0 where it may not. */
export function openedFormula(text: string): number {
  return OPENING.test(text) && !EMPTY_LINE.test(text) ? text.length : 0;
}

/** Where the next formula may begin in a line of text, and on a line of its own within the same paragraph. */
export const nextFormula = (text: string): number => text.search(/\$|\\[([]/);
export function nextFormulaBlock(text: string): number {
  const found = /\n(?:[ \t]*\n| {0,3}(\$\$|\\\[))/.exec(text);
  return found?.[1] === undefined ? -1 : found.index;
}
