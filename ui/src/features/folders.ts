// What became of a folder, in words.
import type { FolderTrouble } from "../host/bindings";
import { m } from "../paraglide/messages";

/** Why a folder cannot be used now, and what to do. */
export function folderTrouble(trouble: FolderTrouble): string {
  return { gone: m.folder_gone(), unreadable: m.folder_unreadable(), replaced: m.folder_replaced() }[trouble];
}
