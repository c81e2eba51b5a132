// Values by path, and whether two of them are the same. Everything is copied on change; what was shown first stays.
import type { Path } from "./fields";

/** The value at a path, or undefined. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, step) => {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    return (at as Record<string | number, unknown>)[step];
  }, value);
}

/** A copy with another value at a path. */
export function withValue<Whole>(whole: Whole, path: Path, value: unknown): Whole {
  const [step, ...rest] = path;
  if (step === undefined) return value as Whole;
  if (Array.isArray(whole)) {
    return whole.map((item: unknown, index) => (index === step ? withValue(item, rest, value) : item)) as Whole;
  }
  const object = (whole ?? {}) as Record<string, unknown>;
  return { ...object, [step]: withValue(object[step], rest, value) } as Whole;
}

/** A copy without what stands at a path. */
export function withoutValue<Whole>(whole: Whole, path: Path): Whole {
  const [step, ...rest] = path;
  if (step === undefined || typeof whole !== "object" || whole === null) return whole;
  if (Array.isArray(whole)) {
    if (rest.length === 0) return whole.filter((_, index) => index !== step) as Whole;
    return whole.map((item: unknown, index) => (index === step ? withoutValue(item, rest) : item)) as Whole;
  }
  const entries = Object.entries(whole);
  if (rest.length === 0) return Object.fromEntries(entries.filter(([name]) => name !== step)) as Whole;
  return Object.fromEntries(
    entries.map(([name, item]) => [name, name === step ? withoutValue(item, rest) : item]),
  ) as Whole;
}

/** Whether a path is another one or leads into what stands there. */
export function isWithin(path: Path, outer: Path): boolean {
  return outer.every((step, depth) => path[depth] === step);
}

/** The path of the same value in a copy without what stands at `removed`; undefined where it is removed too. */
export function pathWithout(whole: unknown, path: Path, removed: Path): Path | undefined {
  if (isWithin(path, removed)) return undefined;
  const around = removed.slice(0, -1);
  const [step, gap] = [path[around.length], removed.at(-1)];
  if (!isWithin(path, around) || !Array.isArray(valueAt(whole, around))) return path;
  return typeof step === "number" && typeof gap === "number" && step > gap ? path.with(around.length, step - 1) : path;
}

/** Whether two JSON values say the same, whatever the order of their names. */
export function same(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** Whether a number somewhere inside is too large to be read exactly here. */
export function holdsInexactNumber(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsInexactNumber);
}

function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical((value as Record<string, unknown>)[name])}`).join(",")}}`;
}
