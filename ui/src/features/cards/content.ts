// What a card is answered by: its own question, or the one that everything behind the card of a flood asks.
import type { Asking, Question } from "../../host/bindings";
import { m } from "../../paraglide/messages";

/** The question with what it really asks in the place of the flood, where that is one and the same thing. */
export function contentOf(question: Question): Question {
  const { about } = question;
  return about.kind === "flood" && about.alike !== null ? { ...question, about: about.alike } : question;
}

/** Questions of one kind, as their plural is called. */
export function kindName(asking: Asking): string {
  switch (asking) {
    case "call":
      return m.kind_calls();
    case "form":
      return m.kind_forms();
    case "page":
      return m.kind_pages();
    case "sampling":
      return m.kind_sampling();
    case "roots":
      return m.kind_roots();
    default:
      return asking satisfies never;
  }
}

/** How many questions an answer to this card is given to. */
export function countOf({ about }: Question): number {
  return about.kind === "flood" ? about.waiting : 1;
}

/** Whether everything behind this card may have one yes. A page is opened once for each. */
export function permitsTogether({ about }: Question): boolean {
  if (about.kind !== "flood") return true;
  return about.alike !== null && (about.waiting === 1 || about.alike.kind !== "open_page");
}
