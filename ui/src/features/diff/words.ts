// Compares two texts word by word, so that a changed sentence shows what changed in it. Very long texts are compared as
// a whole: an exact comparison would take too long, and a wrong one would hide something.

/** A stretch that is in both texts, only in the first, or only in the second. */
export interface Stretch {
  kind: "same" | "gone" | "new";
  text: string;
}

const MOST_WORDS = 600;

/** The differences between two texts, in order. */
export function compare(before: string, after: string): Stretch[] {
  const one = before.match(/\s+|[\p{L}\p{N}_]+|./gsu) ?? [];
  const two = after.match(/\s+|[\p{L}\p{N}_]+|./gsu) ?? [];
  if (one.length > MOST_WORDS || two.length > MOST_WORDS) {
    return joined([
      { kind: "gone", text: before },
      { kind: "new", text: after },
    ]);
  }
  return readable(joined(walk(one, two, lengths(one, two))));
}

/**
 * A sentence that was mostly rewritten is easier to read whole, once as it was and once as it is, than in crumbs; so
 * are changes with no more than a short word between them.
 */
function readable(stretches: Stretch[]): Stretch[] {
  const count = (kind: Stretch["kind"]) =>
    stretches.reduce((sum, stretch) => sum + (stretch.kind === kind ? stretch.text.length : 0), 0);
  const kept = count("same");
  const crumbs = kept < Math.max(count("gone"), count("new")) * 0.6;
  const found: Stretch[] = [];
  let gone = "";
  let fresh = "";
  const settle = () => {
    found.push({ kind: "gone", text: gone }, { kind: "new", text: fresh });
    gone = "";
    fresh = "";
  };
  for (const [index, { kind, text }] of stretches.entries()) {
    const between = index > 0 && index < stretches.length - 1;
    if (kind === "same" && !(crumbs || (between && text.trim().length <= 3))) {
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

/** The longest common run from every pair of places on, as one row a word. */
function lengths(one: string[], two: string[]): number[][] {
  const rows = Array.from({ length: one.length + 1 }, () => new Array<number>(two.length + 1).fill(0));
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = two.length - 1; j >= 0; j--) {
      const row = rows[i] as number[];
      const below = rows[i + 1] as number[];
      row[j] = one[i] === two[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return rows;
}

function walk(one: string[], two: string[], rows: number[][]): Stretch[] {
  const found: Stretch[] = [];
  let i = 0;
  let j = 0;
  while (i < one.length || j < two.length) {
    const left = one[i];
    const right = two[j];
    if (left !== undefined && left === right) {
      found.push({ kind: "same", text: left });
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || (rows[i + 1]?.[j] ?? 0) >= (rows[i]?.[j + 1] ?? 0))) {
      found.push({ kind: "gone", text: left });
      i++;
    } else {
      found.push({ kind: "new", text: right ?? "" });
      j++;
    }
  }
  return found;
}

function joined(stretches: Stretch[]): Stretch[] {
  const found: Stretch[] = [];
  for (const stretch of stretches) {
    const last = found.at(-1);
    if (stretch.text === "") continue;
    if (last?.kind === stretch.kind) last.text += stretch.text;
    else found.push({ ...stretch });
  }
  return found;
}
