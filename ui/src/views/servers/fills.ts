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

/** Whether the value of a field is still the one that the author proposes. It is no secret of the user then. */
export const isProposed = (fill: FillIn, entered: Entered) =>
  fill.value !== "" && valueOf(fill, entered) === fill.value;

/** What may stand before a value in a header, and is no part of it. */
const SCHEME = /^(bearer|basic|token|apikey|api-key)\s+$/i;

/** Whether a value is a text of the author, or one of which more than half still stands at its beginning and end. */
function isOfAuthor({ value: proposed, choices }: FillIn, value: string): boolean {
  if (value === proposed || choices.includes(value)) return true;
  const most = Math.min(proposed.length, value.length);
  let start = 0;
  while (start < most && proposed[start] === value[start]) start += 1;
  let end = 0;
  while (end < most - start && proposed.at(-1 - end) === value.at(-1 - end)) end += 1;
  return 2 * (start + end) > proposed.length;
}

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
 * one is left empty, so that it is asked for before the server starts. One that was typed whole is never shown again; one
 * with any text of the author in it counts as pasted, so that the card of the start shows it. What lacks an optional
 * value is left out.
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
  const typed = new Set(fills.filter((fill) => !isOfAuthor(fill, valueOf(fill, entered))).map(standIn));
  const isTyped = (written: string) => {
    const rest = written.replace(holes, (hole) => (typed.has(hole) ? "" : hole));
    return rest === "" || SCHEME.test(rest);
  };
  const isWanted = ({ value }: EnvPair) => !holesIn(value).some((hole) => unwanted.has(hole));
  const pairs = (written: EnvPair[]) => written.filter(isWanted).map(pair);
  const pair = ({ name, value, pasted = false }: EnvPair): EnvPair => {
    if (holesIn(value).length === 0) return { name, value, pasted };
    if (lacks(value)) return { name, value: "", pasted: false };
    return { name, value: text(value), pasted: !isTyped(value) };
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
