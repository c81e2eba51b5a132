import MessageSquareText from "@lucide/svelte/icons/message-square-text";
import { PromptDraft } from "../../features/sampling/sampling.svelte";
import { m } from "../../paraglide/messages";
import { unfit, unseen, type AboutOf, type QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { words } from "./words";

export const samplePrompt: QuestionKind<AboutOf<"sample_prompt">, PromptDraft> = {
  Body,
  icon: MessageSquareText,
  words,
  draft: (prompt) => new PromptDraft(prompt),
  blocked(_, { unopened, fit }) {
    if (unopened.unseen > 0) return unseen(m.blocked_unopened({ count: unopened.unseen }));
    return fit ? null : unfit(m.blocked_unfit());
  },
};
