import MessageSquareReply from "@lucide/svelte/icons/message-square-reply";
import { ReplyDraft } from "../../features/sampling/sampling.svelte";
import { m } from "../../paraglide/messages";
import { unseen, type AboutOf, type QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { words } from "./words";

export const sampleReply: QuestionKind<AboutOf<"sample_reply">, ReplyDraft> = {
  Body,
  icon: MessageSquareReply,
  words,
  draft: (reply) => new ReplyDraft(reply),
  blocked: (_, { unopened }) => (unopened.unseen > 0 ? unseen(m.blocked_unopened({ count: unopened.unseen })) : null),
};
