// A call as Markdown for the clipboard: its name, its arguments and what came of it. Fences are longer than any in the text.
import type { CallBody, ContentView, StoredPart } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { wordsFor } from "../problem/problems";
import { size } from "../text/format";
import { stateWords } from "./states";

const SHORTEST = 3;

function fenced(text: string, language = ""): string {
  const longest = Math.max(SHORTEST - 1, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function words(part: ContentView): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "link":
      return `${part.name}\n${part.uri}`;
    case "resource":
      return part.text ?? part.uri;
    case "image":
    case "audio":
      return part.mime;
    case "stored":
      return storedWords(part.part);
    case "other":
      return part.kind;
    default:
      return part satisfies never;
  }
}

/** What is said of a stored part: of a text its beginning. The whole is copied by itself. */
function storedWords({ form, beginning, bytes }: StoredPart): string {
  if (form.form === "image" || form.form === "audio") return form.mime;
  return `${beginning}\n${m.copied_beginning({ size: size(bytes) })}`;
}

/** What came of a call. */
function outcome(call: CallBody): string[] {
  if (call.state === "failed") return [`${m.result()}:`, fenced(wordsFor(call.problem).happened)];
  if (call.state !== "answered") return [stateWords(call)];
  const { content, structured, structured_stored, failed } = call.result;
  const parts = content.map((part) => fenced(words(part)));
  if (parts.length === 0 && structured !== null) parts.push(fenced(JSON.stringify(structured, null, 2), "json"));
  if (parts.length === 0 && structured_stored) parts.push(fenced(storedWords(structured_stored)));
  return [`${failed ? m.result_failed() : m.result()}:`, ...parts];
}

/** The call with its arguments and its result. */
export function callMarkdown(call: CallBody): string {
  const name = [call.server_name, call.tool || call.called_as].filter((part) => part !== "").join(" · ");
  const arguments_ = fenced(JSON.stringify(call.arguments, null, 2), "json");
  return [`**${name}**`, `${m.arguments_sent()}:`, arguments_, ...outcome(call)].join("\n\n");
}
