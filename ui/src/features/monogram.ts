// A server's sign: the first letter of the name the user gave it, on a colour that follows from our own id for it.
// Nothing a server sends can change either.
import type { ServerId } from "../host/bindings";

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** How many colours there are; `--server-0` to `--server-9` in monogram.css. */
const COLOURS = 10;

/** The number of a server's colour. */
export function colourOf(server: ServerId): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < server.length; index++) {
    hash ^= server.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0) % COLOURS;
}

/** The letter to show. */
export function letterOf(name: string): string {
  const first = GRAPHEMES.segment(name.trim()).containing(0)?.segment;
  return first && /[\p{L}\p{N}]/u.test(first) ? first.toLocaleUpperCase() : "•";
}
