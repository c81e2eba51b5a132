// The levels of log messages, which are those of syslog. Lines without a level are always shown.
import type { LogLevel } from "../../host/bindings";
import { m } from "../../paraglide/messages";

/** What the filter offers. */
export type Level = "debug" | "info" | "warning" | "error";

/** Every level, least important first. */
export const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

/** Whether a line of this level passes a filter. */
export function atLeast(level: string | null, wanted: Level): boolean {
  const place = level === null ? -1 : LEVELS.findIndex((known) => known === level.toLowerCase());
  return place < 0 || place >= LEVELS.indexOf(wanted);
}

/** A level in words. */
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
