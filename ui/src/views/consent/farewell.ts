// What is said of a card that went while the person looked at it.
import { slot } from "../../features/text/rich";
import type { Question } from "../../host/bindings";
import { m } from "../../paraglide/messages";

/** A sentence with a place for the server's name, and what it means. */
export function farewell({ about }: Question): { sentence: string; meaning: string } {
  const server = slot(0);
  switch (about.kind) {
    case "fill_form":
    case "open_page":
    case "sample_prompt":
    case "sample_reply":
    case "share_folders":
    case "flood":
      return { sentence: m.withdrawn({ server }), meaning: m.withdrawn_long() };
    case "visit_page":
      return { sentence: m.withdrawn_visit({ server }), meaning: m.withdrawn_visit_long() };
    default:
      // Our own questions go when what they were for is over, or a rule that was made meanwhile answered them.
      return { sentence: m.withdrawn_own({ server }), meaning: m.withdrawn_own_long() };
  }
}
