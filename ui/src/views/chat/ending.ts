// What the newest entries of a chat say about how it goes on.
import { wordsFor } from "../../features/problem/problems";
import { visible } from "../../features/text/escapes";
import { isOpen } from "../../features/call/openChoice";
import type { EntryBody, TextState } from "../../host/bindings";
import { m } from "../../paraglide/messages";

interface Entry {
  position: number;
  body: EntryBody;
}

/** The answer the chat ends with, where a limit of tokens ended it. */
export function openAnswer<Newest extends Entry>(newest: readonly Newest[]): Newest | undefined {
  const end = newest.findLast(({ body }) => body.kind !== "failure" && body.kind !== "compaction");
  return end?.body.kind === "assistant" && end.body.state === "length" ? end : undefined;
}

/** Whether nothing of a chat that is busy moves below this entry, its last. An answer that is continued is one of them. */
export function isQuiet(last: Entry | undefined, open: Entry | undefined): boolean {
  if (last === undefined || last === open) return true;
  switch (last.body.kind) {
    case "user":
    case "tools_left_out":
    case "built_in_call":
      return true;
    case "compaction":
      return last.body.state !== "running";
    case "call":
      return last.body.state === "answered" && !isOpen(last.body);
    default:
      return false;
  }
}

/** The position of the newest summary that the model reads; -1 where there is none. */
export function lastUsedSummary(newest: readonly Entry[]): number {
  const isUsed = ({ body }: Entry) => body.kind === "compaction" && body.state === "summarized" && body.used;
  return newest.findLast(isUsed)?.position ?? -1;
}

/** What a screen reader says of the last entry: that a call or a choice waits, or how an answer or a turn ended. */
export function announcement(last: Entry | undefined): string {
  if (last === undefined) return "";
  const { body } = last;
  if (isOpen(body)) return m.announce_choice();
  switch (body.kind) {
    case "call":
      return body.state === "waiting"
        ? m.announce_waiting({ server: visible(body.server_name), tool: visible(body.tool) })
        : "";
    case "assistant":
      return answerEnd(body.state);
    case "failure":
      return wordsFor(body.problem).happened;
    default:
      return "";
  }
}

function answerEnd(state: TextState): string {
  switch (state) {
    case "streaming":
      return "";
    case "done":
      return m.announce_done();
    case "stopped":
      return m.stopped_by_you();
    case "interrupted":
      return m.interrupted();
    case "length":
      return m.ended_by_length();
    default:
      return state satisfies never;
  }
}
