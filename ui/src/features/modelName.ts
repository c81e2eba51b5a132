// What a model is called on the screen.
import type { ModelView } from "../host/bindings";
import { m } from "../paraglide/messages";
import { visible } from "./text/escapes";

/** The name that the user gave a model; the rehearsal is called by a word of the user's language. */
export function modelName({ label, kind }: Pick<ModelView, "label" | "kind">): string {
  return kind.kind === "rehearsal" ? m.rehearsal() : visible(label);
}
