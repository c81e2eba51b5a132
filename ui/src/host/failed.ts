// Why the application could not start, as Rust left it for a window that has no commands at all.
import type { Problem } from "./bindings";

declare global {
  interface Window {
    __VESTIBULE_PROBLEM__?: Problem;
  }
}

/** The problem, in a window that has nothing else to show. */
export function failedStart(): Problem | undefined {
  return window.__VESTIBULE_PROBLEM__;
}
