// Values that the author of a configuration left to the user, put into the server that they belong to.
import type { EnvPair, FillIn, ServerDraft } from "../../host/bindings";

/** What the user entered for one server, by the name of the value. */
export type Entered = Record<string, string>;

/** What stands in a draft for a value. */
export const standIn = ({ name }: FillIn) => `\${${name}}`;

/** The value of a field: what was entered, or what the author proposes. */
export const valueOf = (fill: FillIn, entered: Entered) => entered[fill.name] ?? fill.value;

/** Whether a server can be added with what was entered. */
export const isComplete = (fills: FillIn[], entered: Entered) =>
  fills.every((fill) => !fill.required || valueOf(fill, entered) !== "");

/** Variables or headers without those that are nothing but a value to fill in under their own name. */
export function writtenPairs(pairs: EnvPair[], fills: FillIn[]): EnvPair[] {
  const asked = new Set(fills.map(standIn));
  return pairs.filter(({ name, value }) => !(asked.has(value) && value === `\${${name}}`));
}

/**
 * The draft with the values in it. Each is put in once and never read for others. A variable or header that still lacks
 * one is left empty, so that it is asked for before the server starts, and what was typed is never shown again.
 */
export function filledIn(draft: ServerDraft, fills: FillIn[], entered: Entered): ServerDraft {
  if (fills.length === 0) return draft;
  const values = new Map(fills.map((fill) => [standIn(fill), valueOf(fill, entered)]));
  const escaped = [...values.keys()].map((text) => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&"));
  const holes = new RegExp(escaped.join("|"), "g");
  const text = (written: string) => written.replace(holes, (hole) => values.get(hole) ?? hole);
  const holesIn = (written: string) => written.match(holes) ?? [];
  const lacks = (written: string) => holesIn(written).some((hole) => values.get(hole) === "");
  const pair = ({ name, value, pasted = false }: EnvPair): EnvPair => {
    if (holesIn(value).length === 0) return { name, value, pasted };
    return { name, value: lacks(value) ? "" : text(value), pasted: false };
  };
  const { place } = draft;
  if (place.at === "address")
    return { ...draft, place: { ...place, url: text(place.url), headers: place.headers.map(pair) } };
  const folder = place.folder === null || lacks(place.folder) ? null : text(place.folder);
  const { command, args, env } = place;
  return { ...draft, place: { ...place, command: text(command), args: args.map(text), env: env.map(pair), folder } };
}
