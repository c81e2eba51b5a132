import Globe from "@lucide/svelte/icons/globe";
import type { AboutOf, QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { words } from "./words";

export const visitPage: QuestionKind<AboutOf<"visit_page">> = {
  Body,
  icon: Globe,
  words,
  permit: () => ({ answer: "done" }),
  skips: true,
  again: ({ page }) => page.address.verdict !== "block",
};
