// What an answer will mean, in a sentence for each scope of each question.
import type { Sentence } from "../../features/text/rich";
import type { Question, Scope } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import type { QuestionKind } from "../kind";

/**
 * What permitting with this scope means; null where there is nothing to say beyond the question. `limited` says whether
 * conditions on the arguments were chosen.
 */
export function meaningOf(question: Question, kind: QuestionKind, scope: Scope, limited = false): Sentence | null {
  const chat = question.cause?.chat_title || m.untitled_chat();
  return kind.words.meaning(question.about, { server: question.server.name, chat, scope, limited });
}
