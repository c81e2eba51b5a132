import ArrowLeftRight from "@lucide/svelte/icons/arrow-left-right";
import type { AboutOf, QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { ChangeDraft } from "./draft.svelte";
import { words } from "./words";

export const toolChanged: QuestionKind<AboutOf<"tool_changed">, ChangeDraft> = {
  Body,
  icon: ArrowLeftRight,
  words,
  tone: "warn",
  draft: () => new ChangeDraft(),
  blocked: (change, draft) => draft.blockOf(change),
};
