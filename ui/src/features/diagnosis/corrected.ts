// The changes of a diagnosis, applied to the draft that the form of a server opens with, and in words as old and new.
import type { Correction, EnvPair, NamedValue, PlaceDraft, ServerDraft } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { transportName } from "../serverPlace";

/** A changed line of a form. */
export interface Changed {
  label: string;
  before: string;
  after: string;
}

/** A variable that gets the value this computer has for it. */
export function networkPair(name: string): EnvPair {
  return { name, value: "", pasted: false, from_computer: true };
}

/** A draft with the changes. A variable that the user would have to enter takes the value of this computer, where `here` has it. What does
 * not fit its kind of place is left out. */
export function corrected(draft: ServerDraft, corrections: Correction[], here: NamedValue[] = []): ServerDraft {
  return { ...draft, place: corrections.reduce((place, correction) => applied(place, correction, here), draft.place) };
}

function applied(place: PlaceDraft, correction: Correction, here: NamedValue[]): PlaceDraft {
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
      const isHere = correction.value === "" && here.some(({ name }) => name === correction.name);
      const typed = { name: correction.name, value: correction.value, pasted: false };
      return { ...place, env: [...others, isHere ? networkPair(correction.name) : typed] };
    }
    default:
      return place;
  }
}

/** Old and new of each change that holds no value of the user. */
export function changedLines(draft: ServerDraft, corrections: Correction[], here: NamedValue[] = []): Changed[] {
  const lines = corrections.map((correction) => changedLine(draft.place, correction, here));
  return lines.filter((line) => line !== null);
}

function changedLine(place: PlaceDraft, correction: Correction, here: NamedValue[]): Changed | null {
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
    case "variable": {
      const found = here.find(({ name }) => name === correction.name)?.value;
      const after = correction.value === "" && found?.display === "shown" ? found.text : correction.value;
      return after === "" ? null : { label: correction.name, before: "", after };
    }
    default:
      return correction satisfies never;
  }
}
