import Wrench from "@lucide/svelte/icons/wrench";
import { m } from "../../paraglide/messages";
import { unfit, unseen, type AboutOf, type QuestionKind } from "../kind";
import Body from "./Body.svelte";
import ConditionSummary from "./ConditionSummary.svelte";
import { CallDraft } from "./draft.svelte";
import { words } from "./words";

export const callTool: QuestionKind<AboutOf<"call_tool">, CallDraft> = {
  Body,
  icon: Wrench,
  words,
  draft: (call) => new CallDraft(call),
  blocked(_, { arguments: { unseen: count, fit }, when }, scope) {
    if (count > 0) return unseen(m.blocked_unseen_values({ count }));
    if (!fit) return unfit(m.blocked_unfit());
    return scope !== "once" && when === null ? unfit(m.blocked_condition()) : null;
  },
  lastingDays: 30,
  Lasting: ConditionSummary,
  reasons: true,
  skips: true,
};
