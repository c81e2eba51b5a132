// Values that the author of a configuration left to the user, put into the server that they belong to.
import type { EnvPair, FillIn, ParsedServer, ServerDraft } from "../../host/bindings";

/** What the user entered for one server, by the name of the value. */
export type Entered = Record<string, string>;

/** A server with the values that it still needs. */
export type Fillable = Pick<ParsedServer, "draft" | "fills" | "optional">;

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
 * one is left empty, so that it is asked for before the server starts, and what was typed is never shown again. What
 * lacks an optional value is left out.
 */
export function filledIn({ draft, fills, optional }: Fillable, entered: Entered): ServerDraft {
  if (fills.length === 0) return draft;
  const unwanted = new Set(fills.filter((fill) => fill.optional && valueOf(fill, entered) === "").map(standIn));
  const values = new Map(fills.map((fill) => [standIn(fill), valueOf(fill, entered)]));
  const escaped = [...values.keys()].map((text) => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&"));
  const holes = new RegExp(escaped.join("|"), "g");
  const text = (written: string) => written.replace(holes, (hole) => values.get(hole) ?? hole);
  const holesIn = (written: string) => written.match(holes) ?? [];
  const lacks = (written: string) => holesIn(written).some((hole) => values.get(hole) === "");
  const isWanted = ({ value }: EnvPair) => !holesIn(value).some((hole) => unwanted.has(hole));
  const pairs = (written: EnvPair[]) => written.filter(isWanted).map(pair);
  const pair = ({ name, value, pasted = false }: EnvPair): EnvPair => {
    if (holesIn(value).length === 0) return { name, value, pasted };
    return { name, value: lacks(value) ? "" : text(value), pasted: false };
  };
  const { place } = draft;
  if (place.at === "address")
    return { ...draft, place: { ...place, url: text(place.url), headers: pairs(place.headers) } };
  const folder = place.folder === null || lacks(place.folder) ? null : text(place.folder);
  const { command, env } = place;
  const lacking = optional.filter((words) => words.fills.some((name) => unwanted.has(`\${${name}}`)));
  const isKept = (_: string, at: number) => !lacking.some(({ first, count }) => at >= first && at < first + count);
  const args = place.args.filter(isKept).map(text);
  return { ...draft, place: { ...place, command: text(command), args, env: pairs(env), folder } };
}
