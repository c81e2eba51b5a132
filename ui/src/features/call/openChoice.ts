// Whether a result waits for the user's choice how much of it the model may read, and how long its text is.
import type { CallBody, EntryBody, ResultChoice, ResultView } from "../../host/bindings";

/** The choice about the result of a call where it is open. */
export function openChoice(call: CallBody): Extract<ResultChoice, { choice: "asked" }> | null {
  const choice = call.state === "answered" ? call.result.choice : undefined;
  return choice?.choice === "asked" ? choice : null;
}

/** Whether an entry waits for such a choice. */
export const isOpen = (body: EntryBody): boolean => body.kind === "call" && openChoice(body) !== null;

/** The bytes of the text of a result. */
export function textBytes({ content, structured, structured_stored }: ResultView): number {
  const texts = content.map((part) => {
    if (part.type === "text") return part.text;
    return part.type === "resource" ? (part.text ?? "") : "";
  });
  if (content.length === 0 && structured !== null) texts.push(JSON.stringify(structured));
  const stored = content.flatMap((part) => (part.type === "stored" ? [part.part] : []));
  if (content.length === 0 && structured_stored) stored.push(structured_stored);
  const kept = stored.filter(({ form }) => form.form !== "image" && form.form !== "audio");
  return kept.reduce((sum, { bytes }) => sum + bytes, new TextEncoder().encode(texts.join("\n")).length);
}
