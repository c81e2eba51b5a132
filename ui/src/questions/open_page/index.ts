import Globe from "@lucide/svelte/icons/globe";
import { m } from "../../paraglide/messages";
import { unfit, type AboutOf, type QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { words } from "./words";

export const openPage: QuestionKind<AboutOf<"open_page">> = {
  Body,
  icon: Globe,
  words,
  blocked: ({ address }) => (address.verdict === "block" ? unfit(m.blocked_address()) : null),
  permit: () => ({ answer: "open" }),
  alone: true,
  skips: true,
};
