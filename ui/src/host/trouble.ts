// What a rejected command means. Rust rejects with a `Problem`; anything else (a refused capability, a bug) arrives as
// a string or an `Error` and becomes `unexpected`, so that no failure is ever silent.
import type { Problem } from "./bindings";

/** A problem, or something that should not have happened. */
export type Trouble = Problem | { problem: "unexpected"; detail: string };

/** Reads what a promise was rejected with. */
export function troubleOf(error: unknown): Trouble {
  if (typeof error === "object" && error !== null && "problem" in error && typeof error.problem === "string") {
    return error as Problem;
  }
  return { problem: "unexpected", detail: error instanceof Error ? error.message : String(error) };
}
