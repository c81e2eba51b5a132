// Makes every character that does not show visible as its code point. Text that decides something (a command, an
// argument, a server's words on a card) must not look different from what it is: direction overrides, invisible
// letters, control characters and private-use pictures are all spelled out. Emoji sequences stay whole, because there
// the joiners are what one sees. Which characters do not show is decided in Rust (`is_invisible`), for every place.

import { INVISIBLE } from "./invisible";

/** A stretch of plain text, or the name of one character that does not show. */
export interface Piece {
  text: string;
  hidden: boolean;
}

const RUNS = INVISIBLE.trim()
  .split(/\s+/)
  .map((run) => run.replace(/[\dA-F]+/g, "\\u{$&}"));
const NEVER_SHOWS = new RegExp(`[${RUNS.join("")}]`, "u");
const OTHER_SPACE = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/u;
const PICTURE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F\u20E3#*0-9]/u;
const JOINER = "\u200D";
const PICTURE_STYLE = "\uFE0F";

/** How text is meant: `exact` names unusual and outer spaces too, `line` also breaks and tabs; `prose` leaves spaces alone. */
export type Reading = "exact" | "line" | "prose";

/** Splits text so that what does not show can be shown. Line feeds and tabs stay as they are, except within a line. */
export function pieces(text: string, reading: Reading = "exact"): Piece[] {
  const found: Piece[] = [];
  let plain = "";
  const characters = [...text];
  const firstInk = characters.findIndex((character) => character !== " ");
  const lastInk = characters.findLastIndex((character) => character !== " ");
  characters.forEach((character, index) => {
    const outer = reading !== "prose" && character === " " && (index < firstInk || index > lastInk || firstInk < 0);
    if (outer || shows(character, index, characters, reading) === false) {
      if (plain) found.push({ text: plain, hidden: false });
      plain = "";
      found.push({ text: outer ? "␠" : codePoint(character), hidden: true });
    } else {
      plain += character;
    }
  });
  if (plain) found.push({ text: plain, hidden: false });
  return found;
}

/** Whether any character of the text does not show. */
export function hidesSomething(text: string): boolean {
  return pieces(text, "prose").some((piece) => piece.hidden);
}

/** The text with hidden characters spelled out, for places that take only a string. */
export function visible(text: string): string {
  return visibleAs(text, "prose");
}

/** The same, as text of this reading is shown. */
export function visibleAs(text: string, reading: Reading): string {
  return pieces(text, reading)
    .map((piece) => (piece.hidden ? `⟨${piece.text}⟩` : piece.text))
    .join("");
}

function shows(character: string, index: number, all: string[], reading: Reading): boolean {
  if (character === "\n" || character === "\t") return reading !== "line";
  if (reading !== "prose" && OTHER_SPACE.test(character)) return false;
  if (!NEVER_SHOWS.test(character)) return true;
  const before = all[index - 1] ?? "";
  if (character === PICTURE_STYLE) return PICTURE.test(before);
  if (character === JOINER) return PICTURE.test(before) && PICTURE.test(all[index + 1] ?? "");
  return false;
}

function codePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
