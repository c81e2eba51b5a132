// Which arguments name a place outside the folders a server may know of. What the model wrote was looked at by the host,
// with links resolved; what the user changed is compared here by its words alone, which can only mark too much.
import type { Call, PathFinding } from "../../host/bindings";
import { same, valueAt } from "../../features/schema/values";

/** The places as the arguments stand now. */
export function outsideNow(call: Call, now: Record<string, unknown>): PathFinding[] {
  if (call.roots.length === 0) return [];
  const kept = call.outside.filter(({ at, value }) => valueAt(now, at) === value);
  const changed = textsOf(now, []).filter(({ at, text }) => !same(valueAt(call.arguments, at), text));
  const added = changed.flatMap(({ at, text }) => {
    const place = placeOf(text);
    return place === undefined || call.roots.some((root) => lies(place, root)) ? [] : [{ at, value: text, place }];
  });
  return [...kept, ...added];
}

function textsOf(value: unknown, at: string[]): { at: string[]; text: string }[] {
  if (typeof value === "string") return [{ at, text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsOf(inner, [...at, name]));
}

/** The absolute path a text names, without `.` and `..`; undefined where it names none. */
function placeOf(text: string): string | undefined {
  if (text.includes("\n")) return undefined;
  let path = text;
  if (/^file:/i.test(text)) {
    try {
      path = decodeURIComponent(new URL(text).pathname);
    } catch {
      return text;
    }
  }
  // A path from the user's own folder is not known here, so it counts as outside.
  if (path.startsWith("~")) return path;
  if (!path.startsWith("/") && !/^[A-Za-z]:[\\/]/.test(path)) return undefined;
  const parts: string[] = [];
  for (const part of path.split(/[\\/]/)) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

function lies(place: string, root: string): boolean {
  const folder = `/${root.split(/[\\/]/).filter(Boolean).join("/")}`;
  return folder === "/" || place === folder || place.startsWith(`${folder}/`);
}
