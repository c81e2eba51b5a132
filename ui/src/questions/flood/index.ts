import Layers from "@lucide/svelte/icons/layers";
import type { AboutOf, QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { words } from "./words";

export const flood: QuestionKind<AboutOf<"flood">> = {
  Body,
  icon: Layers,
  words,
  tone: "warn",
  batch: ({ alike, waiting }) => ({ alike, waiting }),
};
