import ListChecks from "@lucide/svelte/icons/list-checks";
import type { AboutOf, QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { words } from "./words";

export const keepRules: QuestionKind<AboutOf<"keep_rules">> = {
  Body,
  icon: ListChecks,
  words,
};
