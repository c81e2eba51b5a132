// What commands of the fake host answer with.
import type { ChangeOutcome, Problem } from "../bindings";

/** Answers after a moment, with a copy. */
export function soon<Value>(value: Value): Promise<Value> {
  return new Promise((done) => setTimeout(() => done(structuredClone(value)), 20));
}

/** Answers with a problem. */
export function no(problem: Problem): Promise<never> {
  // The host rejects with data, as Tauri does.
  return Promise.reject(problem);
}

/** What was done acts at once, as in the host. */
export function done(change?: unknown): ChangeOutcome {
  void change;
  return { change: "done" };
}
