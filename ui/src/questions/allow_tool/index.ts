import KeyRound from "@lucide/svelte/icons/key-round";
import type { AboutOf, QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { words } from "./words";

export const allowTool: QuestionKind<AboutOf<"allow_tool">> = {
  Body,
  icon: KeyRound,
  words,
  lastingDays: 30,
};
