import ArrowLeftRight from "@lucide/svelte/icons/arrow-left-right";
import { RevealDraft } from "../frame/reveal.svelte";
import type { AboutOf, QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { closedDifferences } from "./changes";
import { words } from "./words";

export const toolChanged: QuestionKind<AboutOf<"tool_changed">, RevealDraft> = {
  Body,
  icon: ArrowLeftRight,
  words,
  tone: "warn",
  draft: () => new RevealDraft(),
  blocked: (change, draft) => draft.blocked(closedDifferences(change) !== false),
};
