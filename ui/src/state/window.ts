// What every part of the main window can reach.
import { createContext } from "svelte";
import type { Changes } from "./changes.svelte";
import type { Drafts } from "./drafts.svelte";
import type { Edits } from "./edits.svelte";
import type { FileReads } from "./fileReads.svelte";
import type { Notices } from "./notices.svelte";
import type { Attachments } from "./attachments.svelte";
import type { Navigation } from "./navigation.svelte";
import type { Projection } from "./projection.svelte";
import type { Running } from "./running.svelte";
import type { Sharing } from "./sharing.svelte";
import type { Trash } from "./trash.svelte";

/** The state of one main window. */
export interface WindowState {
  projection: Projection;
  navigation: Navigation;
  drafts: Drafts;
  attachments: Attachments;
  fileReads: FileReads;
  edits: Edits;
  notices: Notices;
  changes: Changes;
  running: Running;
  sharing: Sharing;
  trash: Trash;
}

export const [windowState, setWindowState] = createContext<WindowState>();
