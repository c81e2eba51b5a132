// What a card is answered by: its own question, or the one that everything behind the card asks.
import type { Question } from "../../host/bindings";
import type { QuestionKind } from "../kind";

/** The question with what it really asks in the place of the batch, where that is one and the same thing. */
export function contentOf(question: Question, card: QuestionKind): Question {
  const alike = card.batch?.(question.about).alike ?? null;
  return alike === null ? question : { ...question, about: alike };
}

/** How many questions an answer to this card is given to. */
export function countOf({ about }: Question, card: QuestionKind): number {
  return card.batch?.(about).waiting ?? 1;
}

/** Whether everything behind this card may have one permission; `kind` is that of its content. */
export function permitsTogether({ about }: Question, card: QuestionKind, kind: QuestionKind): boolean {
  const batch = card.batch?.(about);
  return batch === undefined || (batch.alike !== null && (batch.waiting === 1 || !kind.alone));
}
