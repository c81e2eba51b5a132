// Compares two texts word by word, so that a changed sentence shows what changed in it. The comparison is bounded in
// time and edits, because both texts are the server's. Where the bound is reached both texts are shown whole, and
// `compared` is false, so that the card can say so.
import { diffArrays } from "diff";

/** A stretch that is in both texts, only in the first, or only in the second. */
export interface Stretch {
  kind: "same" | "gone" | "new";
  text: string;
}

/** What differs between two texts, in order. The stretches of each side, joined, are that side's text. */
export interface Comparison {
  stretches: Stretch[];
  /** False where the two texts were too long or too different to be compared. */
  compared: boolean;
}

/** A stretch as it is shown: of a long unchanged one only the ends. `left` counts the characters left out before it. */
export interface Shown extends Stretch {
  left: number;
}

/** Words that may be removed or inserted. The time grows with the square of this. */
const MOST_EDITS = 4_000;
/** UTF-16 code units of both texts together. */
const MOST_CHARACTERS = 400_000;
const MOST_MS = 400;

// Scripts that put no spaces between words. A run is cut after some characters, because the time of the segmenter grows
// with the square of what it is given.
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
const TOKENS = new RegExp(String.raw`\s+|${UNSPACED}{1,200}|(?:(?!${UNSPACED})[\p{L}\p{N}_])+|.`, "gsu");
const STARTS_UNSPACED = new RegExp(`^${UNSPACED}`, "u");
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** Compares two texts within `ms` milliseconds. */
export function compare(before: string, after: string, ms = MOST_MS): Comparison {
  const whole = { stretches: joined([stretch("gone", before), stretch("new", after)]), compared: false };
  if (before === "" || after === "") return { ...whole, compared: true };
  if (ms <= 0 || before.length + after.length > MOST_CHARACTERS) return whole;
  const options = { maxEditLength: MOST_EDITS, timeout: ms };
  const changes = diffArrays(wordsOf(before), wordsOf(after), options);
  if (changes === undefined) return whole;
  const stretches = changes.map(({ added, removed, value }) =>
    stretch(added ? "new" : removed ? "gone" : "same", value.join("")),
  );
  return { stretches: readable(joined(stretches)), compared: true };
}

/** Compares pairs of texts, with one time limit for all of them. */
export function compareAll(pairs: readonly { before: string; after: string }[], ms = MOST_MS): Comparison[] {
  const end = performance.now() + ms;
  return pairs.map(({ before, after }) => compare(before, after, end - performance.now()));
}

/** Longest unchanged stretch that is shown whole, and what is shown of longer ones beside each change. */
const UNCHANGED = { whole: 400, end: 160 };

/** The stretches with the middle of long unchanged ones left out. */
export function abridged(stretches: Stretch[]): Shown[] {
  return stretches.flatMap(({ kind, text }, index) => {
    const characters = kind === "same" && text.length > UNCHANGED.whole ? [...text] : [];
    if (characters.length <= UNCHANGED.whole) return [{ kind, text, left: 0 }];
    const start = index === 0 ? 0 : UNCHANGED.end;
    const end = index === stretches.length - 1 ? 0 : UNCHANGED.end;
    const left = characters.length - start - end;
    const tail = end === 0 ? "" : characters.slice(-end).join("");
    return [
      { kind, text: characters.slice(0, start).join(""), left: 0 },
      { kind, text: tail, left },
    ];
  });
}

function wordsOf(text: string): string[] {
  const tokens = text.match(TOKENS) ?? [];
  return tokens.flatMap((token) =>
    STARTS_UNSPACED.test(token) ? Array.from(segmenter.segment(token), ({ segment }) => segment) : token,
  );
}

/**
 * A sentence that was mostly rewritten is easier to read whole, once as it was and once as it is, than in crumbs; so
 * are changes with no more than a short word between them.
 */
function readable(stretches: Stretch[]): Stretch[] {
  const count = (kind: Stretch["kind"]) =>
    stretches.reduce((sum, stretch) => sum + (stretch.kind === kind ? stretch.text.length : 0), 0);
  const crumbs = count("same") < Math.min(count("gone"), count("new")) * 0.6;
  const found: Stretch[] = [];
  let gone = "";
  let fresh = "";
  const settle = () => {
    found.push(stretch("gone", gone), stretch("new", fresh));
    gone = "";
    fresh = "";
  };
  for (const [index, { kind, text }] of stretches.entries()) {
    const between = index > 0 && index < stretches.length - 1;
    if (kind === "same" && !(crumbs || (between && isShort(text)))) {
      settle();
      found.push({ kind, text });
      continue;
    }
    if (kind !== "new") gone += text;
    if (kind !== "gone") fresh += text;
  }
  settle();
  return joined(found);
}

/** Whether a text is no more than a short word; one Chinese, Japanese or Korean character is a word. */
function isShort(text: string): boolean {
  const letters = [...text.trim()];
  const wide = letters.filter((letter) =>
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(letter),
  );
  return letters.length + wide.length * 2 <= 3;
}

function stretch(kind: Stretch["kind"], text: string): Stretch {
  return { kind, text };
}

function joined(stretches: Stretch[]): Stretch[] {
  const found: Stretch[] = [];
  for (const { kind, text } of stretches) {
    const last = found.at(-1);
    if (text === "") continue;
    if (last?.kind === kind) last.text += text;
    else found.push({ kind, text });
  }
  return found;
}
