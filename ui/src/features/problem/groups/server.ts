// The words for problems of servers: starting, reaching and signing in to them.
import type { ServerProblem, SignInFailure } from "../../../host/bindings";
import { m } from "../../../paraglide/messages";
import { visible } from "../../text/escapes";
import { number } from "../../text/format";
import { server, system, type WordsOf } from "../words";

/** How a process ended, as the backend says it: with a code, by a signal, or otherwise. */
function exitWords(exit: string): string {
  const code = /^exit code (-?\d+)$/.exec(exit)?.[1];
  if (code !== undefined) return m.exit_code({ code });
  const signal = /^signal (\d+)$/.exec(exit)?.[1];
  return signal === undefined ? visible(exit) : m.exit_signal({ signal });
}

export const serverProblems: WordsOf<ServerProblem> = {
  command_not_found: (trouble) => ({
    happened: m.problem_command_not_found({ command: visible(trouble.command) }),
    todo: m.problem_command_not_found_do(),
    quote: system(trouble.looked_in.join("\n")),
  }),
  command_not_executable: (trouble) => ({
    happened: m.problem_command_not_executable({ path: visible(trouble.path) }),
    todo: m.problem_command_not_executable_do(),
  }),
  not_started: (trouble) => ({
    happened: m.problem_not_started({ program: visible(trouble.program) }),
    todo: m.problem_not_started_do(),
    quote: system(trouble.detail),
  }),
  not_downloaded: (trouble) => ({
    happened: m.problem_not_downloaded({ package: visible(trouble.package) }),
    todo: m.problem_not_downloaded_do(),
    quote: server([trouble.detail, ...trouble.stderr].join("\n")),
  }),
  start_timed_out: (trouble) => ({
    happened: m.problem_start_timed_out({ seconds: trouble.seconds }),
    todo: m.problem_start_timed_out_do(),
    quote: server(trouble.stderr.join("\n")),
  }),
  server_ended: (trouble) => ({
    happened:
      trouble.exit === null ? m.problem_server_ended() : m.problem_server_ended_with({ exit: exitWords(trouble.exit) }),
    todo: trouble.stderr.length > 0 ? m.problem_server_ended_do() : m.problem_server_ended_silent_do(),
    quote: server(trouble.stderr.join("\n")),
  }),
  tools_not_listed: (trouble) => ({
    happened: m.problem_tools_not_listed(),
    todo: m.problem_tools_not_listed_do(),
    quote: server(trouble.detail),
  }),
  tools_left_out: (trouble) => ({
    happened: m.problem_tools_left_out({ kept: number(trouble.kept) }),
    todo: m.problem_tools_left_out_do(),
  }),
  server_unreachable: (trouble) => ({
    happened: m.problem_server_unreachable({ origin: visible(trouble.origin) }),
    todo: m.problem_server_unreachable_do(),
    quote: system(trouble.detail),
  }),
  sign_in_needed: (trouble) => ({
    happened: m.problem_sign_in_needed({ origin: visible(trouble.origin) }),
    todo: m.problem_sign_in_needed_do(),
  }),
  sign_in_declined: (trouble) => ({
    happened: m.problem_sign_in_declined({ origin: visible(trouble.origin) }),
    todo: m.problem_sign_in_declined_do(),
  }),
  sign_in_failed: (trouble) => ({
    happened: m.problem_sign_in_failed({ origin: visible(trouble.origin) }),
    todo: signInAdvice(trouble.why),
    quote: system(trouble.detail),
  }),
  not_withdrawn: (trouble) => ({
    happened: m.problem_not_withdrawn({ origin: visible(trouble.origin) }),
    todo: m.problem_not_withdrawn_do(),
    quote: system(trouble.detail),
  }),
  server_refused: (trouble) => ({
    happened: m.problem_server_refused({ origin: visible(trouble.origin), status: trouble.status }),
    todo: m.problem_server_refused_do(),
    quote: trouble.said ? server(trouble.said) : system(trouble.detail),
  }),
  server_reopening: (trouble) => ({
    happened: m.problem_server_reopening({ server: visible(trouble.server) }),
    todo: m.problem_server_reopening_do(),
  }),
  unsupported_revision: (trouble) => ({
    happened: m.problem_unsupported_revision({ answered: visible(trouble.answered) }),
    todo: m.problem_unsupported_revision_do(),
  }),
  server_not_running: (trouble) => ({
    happened: m.problem_server_not_running({ server: visible(trouble.server) }),
    todo: m.problem_server_not_running_do(),
  }),
};

/** What to do about a sign-in that did not work. */
function signInAdvice(why: SignInFailure): string {
  switch (why) {
    case "network":
      return m.problem_sign_in_network_do();
    case "unsafe":
      return m.problem_sign_in_unsafe_do();
    case "malformed":
      return m.problem_sign_in_malformed_do();
    case "mismatch":
      return m.problem_sign_in_mismatch_do();
    case "unsupported":
    case "no_client":
      return m.problem_sign_in_unsupported_do();
    case "undocumented":
      return m.problem_sign_in_undocumented_do();
    case "refused":
      return m.problem_sign_in_refused_do();
    case "vault":
      return m.problem_sign_in_vault_do();
    case "timed_out":
      return m.problem_sign_in_late_do();
    case "local":
      return m.problem_sign_in_local_do();
    case "exhausted":
      return m.problem_sign_in_exhausted_do();
    case "denied":
      return m.problem_sign_in_denied_do();
    case "needed":
    case "declined":
      return m.problem_sign_in_declined_do();
    default:
      return why satisfies never;
  }
}
