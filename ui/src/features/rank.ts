// How well an entry of the palette fits what was typed. Every word must be in it; a name that begins with the first word
// comes before one that has it further inside.

export interface Ranked {
  label: string;
  /** Further text that counts, such as the server of a tool. */
  note?: string | undefined;
}

const STARTS = 4;
const STARTS_A_WORD = 3;
const IN_LABEL = 2;
const IN_NOTE = 1;

/** From 0, where it does not fit, to 4. */
function rank({ label, note = "" }: Ranked, search: string): number {
  const [name, beside] = [label.toLocaleLowerCase(), note.toLocaleLowerCase()];
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return IN_LABEL;
  if (!words.every((word) => name.includes(word) || beside.includes(word))) return 0;
  if (name.startsWith(first)) return STARTS;
  if (name.split(/[\s_\-./:]+/).some((part) => part.startsWith(first))) return STARTS_A_WORD;
  return name.includes(first) ? IN_LABEL : IN_NOTE;
}

/** The entries that fit, the best first; those that fit alike keep their order. */
export function best<Entry extends Ranked>(entries: readonly Entry[], search: string, most: number): Entry[] {
  return entries
    .map((entry) => ({ entry, fits: rank(entry, search) }))
    .filter(({ fits }) => fits > 0)
    .toSorted((a, b) => b.fits - a.fits)
    .slice(0, most)
    .map(({ entry }) => entry);
}
