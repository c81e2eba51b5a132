import FolderOpen from "@lucide/svelte/icons/folder-open";
import { m } from "../../paraglide/messages";
import { unfit, type AboutOf, type QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { FoldersDraft } from "./draft.svelte";
import { words } from "./words";

export const shareFolders: QuestionKind<AboutOf<"share_folders">, FoldersDraft> = {
  Body,
  icon: FolderOpen,
  words,
  draft: (about) => new FoldersDraft(about),
  blocked: (_, draft) => (draft.count === 0 ? unfit(m.blocked_no_folder()) : null),
};
