import SquareTerminal from "@lucide/svelte/icons/square-terminal";
import { RevealDraft } from "../frame/reveal.svelte";
import type { AboutOf, QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { closedArguments, closedValues } from "./launch";
import { words } from "./words";

export const startServer: QuestionKind<AboutOf<"start_server">, RevealDraft> = {
  Body,
  icon: SquareTerminal,
  words,
  tone: "strong",
  draft: () => new RevealDraft(),
  blocked: (launch, draft) => draft.blocked(closedArguments(launch) !== false || closedValues(launch)),
  lastingDays: 180,
};
