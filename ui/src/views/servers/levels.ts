// The levels of log messages, which are those of syslog. Lines without a level are always shown.

/** What the filter offers. */
export type Level = "debug" | "info" | "warning" | "error";

const ORDER = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Whether a line of this level passes a filter. */
export function atLeast(level: string | null, wanted: Level): boolean {
  const place = level === null ? -1 : ORDER.indexOf(level.toLowerCase());
  return place < 0 || place >= ORDER.indexOf(wanted);
}
