// Which answers carry the name of their model: the first of each turn, and any that another model continues. Which
// carry the actions for the whole answer: the last of each turn that has words.
import type { EntryBody, EntryId } from "../../host/bindings";

interface Entry {
  id: EntryId;
  body: EntryBody;
}

/** The ids of the answers with a header. */
export function headers(entries: readonly Entry[]): ReadonlySet<EntryId> {
  const found = new Set<EntryId>();
  let speaker: string | null = null;
  for (const { id, body } of entries) {
    if (body.kind === "user") speaker = null;
    if (body.kind !== "assistant" || body.model === speaker) continue;
    speaker = body.model;
    found.add(id);
  }
  return found;
}

/** The ids of the answers with actions. */
export function lastAnswers(entries: readonly Entry[]): ReadonlySet<EntryId> {
  const found = new Set<EntryId>();
  let last: EntryId | undefined;
  for (const { id, body } of entries) {
    if (body.kind === "user" && last !== undefined) found.add(last);
    if (body.kind === "user") last = undefined;
    if (body.kind === "assistant" && body.text !== "" && body.state !== "streaming") last = id;
  }
  return last === undefined ? found : found.add(last);
}

/** Whether a part of a turn has nothing to show, because the model only called tools in it. */
export function isSilent(body: Extract<EntryBody, { kind: "assistant" }>): boolean {
  return body.state === "done" && body.text === "" && !body.reasoning;
}
