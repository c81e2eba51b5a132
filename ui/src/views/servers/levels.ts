// The levels of log messages, which are those of syslog. Lines without a level are always shown.
import { visible } from "../../features/text/escapes";
import type { LogLevel } from "../../host/bindings";
import { m } from "../../paraglide/messages";

/** What the filter offers. */
export type Level = "debug" | "info" | "warning" | "error";

/** Every level, least important first. */
export const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

function knownLevel(level: string): LogLevel | undefined {
  return LEVELS.find((known) => known === level.toLowerCase());
}

/** Whether a line of this level passes a filter. */
export function atLeast(level: string | null, wanted: Level): boolean {
  const known = level === null ? undefined : knownLevel(level);
  return known === undefined || LEVELS.indexOf(known) >= LEVELS.indexOf(wanted);
}

/** The level of one line in a word; as the server wrote it where it is none of syslog's. */
export function levelOfLine(level: string): string {
  const known = knownLevel(level);
  switch (known) {
    case undefined:
      return visible(level);
    case "debug":
      return m.logline_debug();
    case "info":
      return m.logline_info();
    case "notice":
      return m.logline_notice();
    case "warning":
      return m.logline_warning();
    case "error":
      return m.logline_error();
    case "critical":
      return m.logline_critical();
    case "alert":
      return m.logline_alert();
    case "emergency":
      return m.logline_emergency();
    default:
      return known satisfies never;
  }
}

/** A level in words, as one from which on lines are sent. */
export function levelName(level: LogLevel): string {
  switch (level) {
    case "debug":
      return m.loglevel_debug();
    case "info":
      return m.loglevel_info();
    case "notice":
      return m.loglevel_notice();
    case "warning":
      return m.loglevel_warning();
    case "error":
      return m.loglevel_error();
    case "critical":
      return m.loglevel_critical();
    case "alert":
      return m.loglevel_alert();
    case "emergency":
      return m.loglevel_emergency();
    default:
      return level satisfies never;
  }
}
