// Makes every character that does not show visible as its code point. Text that decides something (a command, an
// argument, a server's words on a card) must not look different from what it is: direction overrides, invisible
// letters, control characters and private-use pictures are all spelled out. Emoji sequences stay whole, because there
// the joiners are what one sees. Which characters do not show is decided in Rust (`is_invisible`), for every place.

import { INVISIBLE } from "./invisible";

/** A stretch of plain text, or the name of what does not show: a character, or spaces at an end. */
export interface Piece {
  text: string;
  hidden: boolean;
}

const RUNS = INVISIBLE.trim()
  .split(/\s+/)
  .map((run) => run.replace(/[\dA-F]+/g, "\\u{$&}"));
const NEVER_SHOWS = new RegExp(`[${RUNS.join("")}]`, "u");
const SPACES = "\\u00A0\\u1680\\u2000-\\u200A\\u202F\\u205F\\u3000";
const OTHER_SPACE = new RegExp(`[${SPACES}]`, "u");
/** All that may have to be spelled out, but for spaces at an end; in a line, and where it may break. */
const ODD = new RegExp(`[${RUNS.join("")}${SPACES}]`, "gu");
const ODD_BUT_BREAKS = new RegExp(`(?![\\n\\t])[${RUNS.join("")}${SPACES}]`, "gu");
const PICTURE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F\u20E3#*0-9]/u;
const PICTURE_BEFORE = new RegExp(`${PICTURE.source}$`, "u");
/** A space at an end; several are one piece with their number. Our own fonts have no picture of a space. */
const SPACE = "U+0020";
const JOINER = "\u200D";
const PICTURE_STYLE = "\uFE0F";

/** How text is meant: `exact` names unusual and outer spaces too, `line` also breaks and tabs; `prose` leaves spaces alone. */
export type Reading = "exact" | "line" | "prose";

/** Splits text so that what does not show can be shown. Line feeds and tabs stay as they are, except within a line. */
export function pieces(text: string, reading: Reading = "exact"): Piece[] {
  const found: Piece[] = [];
  const [start, end] = reading === "prose" ? [0, text.length] : inked(text);
  const outer = (count: number) => {
    if (count > 0) found.push({ text: count === 1 ? SPACE : `${SPACE}×${count}`, hidden: true });
  };
  outer(start);
  let plain = start;
  const add = (until: number) => {
    if (until > plain) found.push({ text: text.slice(plain, until), hidden: false });
  };
  // The expression looks at every character, so that the code below looks only at the few that may not show.
  for (const { 0: character, index } of text.matchAll(reading === "line" ? ODD : ODD_BUT_BREAKS)) {
    if (shows(character, index, text, reading)) continue;
    add(index);
    found.push({ text: codePoint(character), hidden: true });
    plain = index + character.length;
  }
  add(end);
  outer(text.length - end);
  return found;
}

/** Where the text begins and ends without the spaces around it. */
function inked(text: string): [start: number, end: number] {
  let [start, end] = [0, text.length];
  while (text[start] === " ") start += 1;
  while (end > start && text[end - 1] === " ") end -= 1;
  return [start, end];
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

function shows(character: string, index: number, text: string, reading: Reading): boolean {
  if (reading !== "prose" && OTHER_SPACE.test(character)) return false;
  if (!NEVER_SHOWS.test(character)) return true;
  if (character !== PICTURE_STYLE && character !== JOINER) return false;
  const before = text.slice(Math.max(0, index - 2), index);
  if (!PICTURE_BEFORE.test(before)) return false;
  return character === PICTURE_STYLE || PICTURE.test(String.fromCodePoint(text.codePointAt(index + 1) ?? 0));
}

function codePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
