// Pictures of a chat: their addresses and what is said of them. A window has the bytes of a small one already; a stored one
// it gets from the application. Nothing is loaded from a network.
import type { ContentView, EntryId, PicturePlace, StoredPart } from "../../host/bindings";
import { storedPictureAddress } from "../../host/media";

/** A picture of a kind that is decoded. */
export interface Picture {
  mime: string;
  address: string;
  bytes: number;
}

/** The kinds that a window decodes, as the host takes them, with their names. */
const KINDS: Record<string, string> = {
  "image/png": "PNG",
  "image/jpeg": "JPEG",
  "image/gif": "GIF",
  "image/webp": "WebP",
};

/** A picture of a chat that can be opened. */
export interface OpenPicture {
  picture: Picture;
  /** Where the host finds it. */
  place: PicturePlace;
  /** What it is called, also in words of others. */
  name: string;
}

/** A part that is a picture of a kind that is decoded; otherwise null. */
export function pictureIn(part: ContentView): Picture | null {
  if (part.type !== "image" || !Object.hasOwn(KINDS, part.mime)) return null;
  const { mime, base64 } = part;
  return { mime, address: dataAddress(mime, base64), bytes: bytesIn(base64) };
}

/** A stored picture. The host stores those of kinds that are decoded. */
export function storedPicture({ number, bytes }: StoredPart, mime: string, entry: EntryId): Picture {
  return { mime, address: storedPictureAddress(entry, number), bytes };
}

/** The name of the kind of a picture. */
export function kindOf({ mime }: Picture): string {
  return KINDS[mime] ?? mime;
}

/** How many bytes a file has. */
function bytesIn(base64: string): number {
  return Math.floor(base64.replaceAll(/[^A-Za-z\d+/]/g, "").length * 0.75);
}

/** The address of data that is here already. */
export function dataAddress(mime: string, base64: string): string {
  return `data:${mime};base64,${base64.replaceAll(/[^A-Za-z\d+/=]/g, "")}`;
}
