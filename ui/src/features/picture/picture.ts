// Pictures that a window has already: their addresses and what is said of them. Nothing is loaded.
import type { ContentView, PicturePlace } from "../../host/bindings";

export type Picture = Extract<ContentView, { type: "image" }>;

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
  return part.type === "image" && Object.hasOwn(KINDS, part.mime) ? part : null;
}

/** The name of the kind of a picture. */
export function kindOf({ mime }: Picture): string {
  return KINDS[mime] ?? mime;
}

/** How many bytes the file of a picture has. */
export function bytesOf({ base64 }: Picture): number {
  return Math.floor(base64.replaceAll(/[^A-Za-z\d+/]/g, "").length * 0.75);
}

/** The address of data that is here already. */
export function dataAddress(mime: string, base64: string): string {
  return `data:${mime};base64,${base64.replaceAll(/[^A-Za-z\d+/=]/g, "")}`;
}
