// The address of a stored picture. The shell answers it for the main window alone; no other scheme is used for pictures of
// results, and nothing is loaded from a network.
import type { EntryId } from "./bindings";
import { FAKE_PICTURE } from "./fake/media";

export function storedPictureAddress(entry: EntryId, number: number): string {
  return import.meta.env.MODE === "fake" ? FAKE_PICTURE : `vestibule-media://localhost/${entry}/${number}`;
}
