// The changes of a diagnosis, applied to the draft that the form of a server opens with, and in words as old and new.
import type { Correction, PlaceDraft, ServerDraft } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { transportName } from "../serverPlace";

/** A changed line of a form. */
export interface Changed {
  label: string;
  before: string;
  after: string;
}

/** A draft with the changes. What does not fit its kind of place is left out. */
export function corrected(draft: ServerDraft, corrections: Correction[]): ServerDraft {
  return { ...draft, place: corrections.reduce(applied, draft.place) };
}

function applied(place: PlaceDraft, correction: Correction): PlaceDraft {
  if (place.at === "address") {
    if (correction.set === "address") return { ...place, url: correction.url };
    return correction.set === "transport" ? { ...place, transport: correction.transport } : place;
  }
  switch (correction.set) {
    case "command":
      return { ...place, command: correction.command };
    case "arguments":
      return { ...place, args: correction.args };
    case "variable": {
      const others = place.env.filter(({ name }) => name !== correction.name);
      return { ...place, env: [...others, { name: correction.name, value: correction.value, pasted: false }] };
    }
    default:
      return place;
  }
}

/** Old and new of each change that holds no value of the user. */
export function changedLines(draft: ServerDraft, corrections: Correction[]): Changed[] {
  const lines = corrections.map((correction) => changedLine(draft.place, correction));
  return lines.filter((line) => line !== null);
}

function changedLine(place: PlaceDraft, correction: Correction): Changed | null {
  switch (correction.set) {
    case "address":
      return place.at === "address" ? { label: m.address(), before: place.url, after: correction.url } : null;
    case "transport":
      return place.at === "address"
        ? {
            label: m.transport(),
            before: transportName(place.transport),
            after: transportName(correction.transport),
          }
        : null;
    case "command":
      return place.at === "here" ? { label: m.command(), before: place.command, after: correction.command } : null;
    case "arguments":
      return place.at === "here"
        ? { label: m.arguments_field(), before: place.args.join(" "), after: correction.args.join(" ") }
        : null;
    case "variable":
      return correction.value === "" ? null : { label: correction.name, before: "", after: correction.value };
    default:
      return correction satisfies never;
  }
}
