// How a server is, in words and as a tone. Words come first; the tone only repeats them.
import type { ServerView, StartRefusal } from "../host/bindings";
import { m } from "../paraglide/messages";
import { isRemote, transportName } from "./serverPlace";
import { visible } from "./text/escapes";

/** The tone of a server's dot. */
export function toneOf(server: ServerView): "on" | "off" | "wait" | "busy" | "bad" {
  switch (server.state.state) {
    case "stopped":
    case "not_started":
      return "off";
    case "asking":
    case "reopening":
    case "sign_in_needed":
      return "wait";
    case "downloading":
    case "starting":
    case "signing_in":
    case "stopping":
      return "busy";
    case "ready":
      return toReview(server) > 0 ? "wait" : "on";
    case "failed":
      return "bad";
    default:
      return server.state satisfies never;
  }
}

/** Two or three words for a list. */
export function shortState(server: ServerView): string {
  switch (server.state.state) {
    case "stopped":
      return server.missing.length > 0 ? m.state_needs_values() : m.state_stopped();
    case "not_started":
      return m.state_not_started();
    case "asking":
      return m.state_waiting();
    case "downloading":
      return server.state.total > 0
        ? m.state_downloading_count({ arrived: server.state.arrived, total: server.state.total })
        : m.state_downloading();
    case "starting":
      return m.state_starting();
    case "reopening":
      return m.state_reopening();
    case "sign_in_needed":
      return m.state_sign_in();
    case "signing_in":
      return m.state_signing_in();
    case "stopping":
      return m.state_stopping();
    case "ready":
      return toReview(server) > 0 ? m.state_held({ count: toReview(server) }) : toolsWords(server);
    case "failed":
      return m.state_failed();
    default:
      return server.state satisfies never;
  }
}

/** Why a start was denied without a question. */
const notStarted: Record<StartRefusal, () => string> = {
  by_rule: m.state_not_started_by_rule,
  muted: m.state_not_started_muted,
  too_many_waiting: m.state_not_started_too_many,
};

/** The state of a server as a whole sentence. */
export function longState(server: ServerView): string {
  const { state } = server;
  switch (state.state) {
    case "stopped":
      return m.state_stopped_long();
    case "not_started":
      return notStarted[state.why]();
    case "asking":
      return isRemote(server) ? m.state_waiting_connect_long() : m.state_waiting_long();
    case "downloading":
      return state.total > 0
        ? m.state_downloading_long_count({ arrived: state.arrived, total: state.total })
        : m.state_downloading_long();
    case "starting":
      return state.may_download ? m.state_starting_long_download() : m.state_starting_long();
    case "reopening":
      return m.state_reopening_long();
    case "sign_in_needed":
      return m.state_sign_in_long();
    case "signing_in":
      return m.state_signing_in_long();
    case "stopping":
      return m.state_stopping_long();
    case "ready":
      return m.state_ready_long({
        revision: visible(state.revision),
        transport: transportName(state.transport),
        tools: toolsWords(server),
      });
    case "failed":
      return m.state_failed_long();
    default:
      return state satisfies never;
  }
}

/** Whether a server could not list its tools and none are known from before. */
export function isNotListed({ listing_problem, tool_count, held_count }: ServerView): boolean {
  return listing_problem !== null && tool_count + held_count === 0;
}

/** How many tools a server has. */
function toolsWords(server: ServerView): string {
  if (isNotListed(server)) return m.state_not_listed();
  return m.tools_count({ count: server.tool_count + server.held_count });
}

/** How many of its tools, and its instructions, wait for the user to read them. */
export function toReview(server: ServerView): number {
  return server.held_count + (server.instructions_held ? 1 : 0);
}
