// The notice for a card that was withdrawn while the user looked at it.
import { slot } from "../../features/text/rich";
import type { Question } from "../../host/bindings";
import { m } from "../../paraglide/messages";

/** A sentence with a place for the server's name, and what it means. */
export function withdrawn({ about }: Question): { sentence: string; meaning: string } {
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
      // Vestibule withdraws its own questions when their reason is over or a new rule answered them.
      return { sentence: m.withdrawn_own({ server }), meaning: m.withdrawn_own_long() };
  }
}
