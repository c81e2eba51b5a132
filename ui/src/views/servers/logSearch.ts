// Finds words in the lines of a log. Both are taken as they are: no patterns, upper and lower case alike.

/** The most hits of one line that are marked; what follows them is one part. */
const MOST_HITS = 50;

/** A part of a line. */
interface LinePart {
  text: string;
  hit: boolean;
}

/** What finds these words; nothing where there are none. */
export function findWords(words: string): RegExp | null {
  const wanted = words.trim();
  return wanted === "" ? null : new RegExp(wanted.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"), "giu");
}

/** A line in parts, every second one a hit: one part where nothing is found. */
export function partsOf(line: string, search: RegExp): LinePart[] {
  const parts: LinePart[] = [];
  let end = 0;
  for (const { 0: hit, index } of line.matchAll(search)) {
    parts.push({ text: line.slice(end, index), hit: false }, { text: hit, hit: true });
    end = index + hit.length;
    if (parts.length >= 2 * MOST_HITS) break;
  }
  return [...parts, { text: line.slice(end), hit: false }];
}
