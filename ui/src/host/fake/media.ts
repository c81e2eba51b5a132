// The large parts of results of the fake host, which has no bytes of them: lines with numbers for a text, and one picture
// for every picture, since no browser knows the scheme of the application.
import type { EntryId, EntryView, StoredPart } from "../bindings";

export const FAKE_PICTURE =
  "data:image/png;base64," +
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";

/** How many pieces are answered at most. */
const MOST = 8;

/** Pieces of a stored text or sound from one on; null where the entry has none. */
export function storedPieces(
  entries: Iterable<EntryView[]>,
  entry: EntryId,
  number: number,
  first: number,
): string[] | null {
  const part = storedPart(entries, entry, number);
  if (!part || part.form.form === "image" || first >= part.pieces) return null;
  const count = Math.min(MOST, part.pieces - first);
  return Array.from({ length: count }, (_, index) => piece(part, first + index));
}

function storedPart(entries: Iterable<EntryView[]>, entry: EntryId, number: number): StoredPart | undefined {
  const body = [...entries].flat().find(({ id }) => id === entry)?.body;
  if (body?.kind !== "call" || body.state !== "answered") return undefined;
  const parts = body.result.content.flatMap((part) => (part.type === "stored" ? [part.part] : []));
  return [...parts, ...(body.result.structured_stored ? [body.result.structured_stored] : [])].find(
    (part) => part.number === number,
  );
}

function piece({ form, lines, pieces }: StoredPart, number: number): string {
  if (form.form === "audio") return "AAAA";
  const each = Math.ceil(lines / pieces);
  const from = number * each + 1;
  const count = Math.max(0, Math.min(each, lines - from + 1));
  return Array.from(
    { length: count },
    (_, index) => `line ${from + index} of a long log, 第 ${from + index} 行\n`,
  ).join("");
}
