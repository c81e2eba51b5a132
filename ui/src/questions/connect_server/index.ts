import Globe from "@lucide/svelte/icons/globe";
import type { AboutOf, QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { words } from "./words";

export const connectServer: QuestionKind<AboutOf<"connect_server">> = {
  Body,
  icon: Globe,
  words,
  lastingDays: 180,
};
