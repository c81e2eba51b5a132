// Every problem as sentences of the catalogue: what was tried and what happened, then what to do. A new kind of problem
// in Rust is a type error here until it has its words.
import { oddity } from "../address/address";
import type { Trouble } from "../../host";
import type { SignInFailure } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { number } from "../text/format";
import { visible } from "../text/escapes";
import { uncheckedReason } from "./unchecked";

/** A problem in words. */
export interface Words {
  happened: string;
  todo: string;
  /** The server's own message, to be quoted. */
  quote?: { by: "server" | "system" | "model"; text: string } | undefined;
}

/** The words for a problem. */
export function wordsFor(trouble: Trouble): Words {
  switch (trouble.problem) {
    case "command_not_found":
      return {
        happened: m.problem_command_not_found({ command: visible(trouble.command) }),
        todo: m.problem_command_not_found_do(),
        quote: system(trouble.looked_in.join("\n")),
      };
    case "command_not_executable":
      return {
        happened: m.problem_command_not_executable({ path: visible(trouble.path) }),
        todo: m.problem_command_not_executable_do(),
      };
    case "not_started":
      return {
        happened: m.problem_not_started({ program: visible(trouble.program) }),
        todo: m.problem_not_started_do(),
        quote: system(trouble.detail),
      };
    case "start_timed_out":
      return {
        happened: m.problem_start_timed_out({ seconds: trouble.seconds }),
        todo: m.problem_start_timed_out_do(),
        quote: server(trouble.stderr.join("\n")),
      };
    case "server_ended":
      return {
        happened:
          trouble.exit === null
            ? m.problem_server_ended()
            : m.problem_server_ended_with({ exit: visible(trouble.exit) }),
        todo: trouble.stderr.length > 0 ? m.problem_server_ended_do() : m.problem_server_ended_silent_do(),
        quote: server(trouble.stderr.join("\n")),
      };
    case "server_unreachable":
      return {
        happened: m.problem_server_unreachable({ origin: visible(trouble.origin) }),
        todo: m.problem_server_unreachable_do(),
        quote: system(trouble.detail),
      };
    case "sign_in_needed":
      return {
        happened: m.problem_sign_in_needed({ origin: visible(trouble.origin) }),
        todo: m.problem_sign_in_needed_do(),
      };
    case "sign_in_declined":
      return {
        happened: m.problem_sign_in_declined({ origin: visible(trouble.origin) }),
        todo: m.problem_sign_in_declined_do(),
      };
    case "sign_in_failed":
      return {
        happened: m.problem_sign_in_failed({ origin: visible(trouble.origin) }),
        todo: signInAdvice(trouble.why),
        quote: system(trouble.detail),
      };
    case "not_withdrawn":
      return {
        happened: m.problem_not_withdrawn({ origin: visible(trouble.origin) }),
        todo: m.problem_not_withdrawn_do(),
        quote: system(trouble.detail),
      };
    case "server_refused":
      return {
        happened: m.problem_server_refused({ origin: visible(trouble.origin), status: trouble.status }),
        todo: m.problem_server_refused_do(),
        quote: system(trouble.detail),
      };
    case "call_lost":
      return {
        happened: m.problem_call_lost(),
        todo: m.problem_call_lost_do(),
        quote: trouble.stderr.length > 0 ? server(trouble.stderr.join("\n")) : system(trouble.detail),
      };
    case "call_not_sent":
      return {
        happened: m.problem_call_not_sent(),
        todo: m.problem_call_not_sent_do(),
        quote: system(trouble.detail),
      };
    case "server_reopening":
      return {
        happened: m.problem_server_reopening({ server: visible(trouble.server) }),
        todo: m.problem_server_reopening_do(),
      };
    case "unsupported_revision":
      return {
        happened: m.problem_unsupported_revision({ answered: visible(trouble.answered) }),
        todo: m.problem_unsupported_revision_do(),
      };
    case "server_error":
      return {
        happened: m.problem_server_error({ code: trouble.code }),
        todo: m.problem_server_error_do(),
        quote: server(trouble.message),
      };
    case "call_timed_out":
      return { happened: m.problem_call_timed_out({ seconds: trouble.seconds }), todo: m.problem_call_timed_out_do() };
    case "page_not_visited":
      return { happened: m.problem_page_not_visited(), todo: m.problem_page_not_visited_do() };
    case "malformed_reply":
      return {
        happened: m.problem_malformed_reply(),
        todo: m.problem_malformed_reply_do(),
        quote: system(trouble.detail),
      };
    case "server_not_running":
      return {
        happened: m.problem_server_not_running({ server: visible(trouble.server) }),
        todo: m.problem_server_not_running_do(),
      };
    case "task_gone":
      return { happened: m.problem_task_gone(), todo: m.problem_task_gone_do() };
    case "no_such_resource":
      return {
        happened: m.problem_no_such_resource({ uri: visible(trouble.uri) }),
        todo: m.problem_no_such_resource_do(),
      };
    case "reading_refused":
      return { happened: m.problem_reading_refused(), todo: m.problem_reading_refused_do() };
    case "variables_missing":
      return {
        happened: m.problem_variables_missing({ names: trouble.names.map(visible).join(", ") }),
        todo: m.problem_variables_missing_do(),
      };
    case "too_many_attachments":
      return {
        happened: m.problem_too_many_attachments({ limit: trouble.limit }),
        todo: m.problem_too_many_attachments_do(),
      };
    case "no_such_tool":
      return { happened: m.problem_no_such_tool({ name: visible(trouble.name) }), todo: m.problem_no_such_tool_do() };
    case "tool_changed_meanwhile":
      return {
        happened: m.problem_tool_changed_meanwhile({ tool: visible(trouble.tool) }),
        todo: m.problem_tool_changed_meanwhile_do(),
      };
    case "tool_held":
      return { happened: m.problem_tool_held({ tool: visible(trouble.tool) }), todo: m.problem_tool_held_do() };
    case "arguments_invalid":
      return {
        happened: m.problem_arguments_invalid(),
        todo: m.problem_arguments_invalid_do(),
        quote: system(trouble.errors.join("\n")),
      };
    case "arguments_unchecked":
      return {
        happened: m.problem_arguments_unchecked(),
        todo: m.problem_arguments_unchecked_do(),
        quote: system(uncheckedReason(trouble.reason)),
      };
    case "arguments_unreadable":
      return {
        happened: m.problem_arguments_unreadable(),
        todo: m.problem_arguments_unreadable_do(),
        quote: system(trouble.detail),
      };
    case "model_unreachable":
      return {
        happened: m.problem_model_unreachable({ endpoint: visible(trouble.endpoint) }),
        todo: m.problem_model_unreachable_do(),
        quote: system(trouble.detail),
      };
    case "model_unauthorized":
      return {
        happened: m.problem_model_unauthorized({ endpoint: visible(trouble.endpoint) }),
        todo: m.problem_model_unauthorized_do(),
      };
    case "model_key_over_http":
      return {
        happened: m.problem_model_key_over_http({ endpoint: visible(trouble.endpoint) }),
        todo: m.problem_model_key_over_http_do(),
      };
    case "model_missing":
      return {
        happened: m.problem_model_missing({ endpoint: visible(trouble.endpoint), model: visible(trouble.model) }),
        todo: m.problem_model_missing_do(),
      };
    case "model_busy":
      return {
        happened: m.problem_model_busy(),
        todo:
          trouble.retry_after_s === null
            ? m.problem_model_busy_do()
            : m.problem_model_busy_do_after({ seconds: trouble.retry_after_s }),
      };
    case "model_refused":
      return {
        happened: m.problem_model_refused({ status: trouble.status }),
        todo: m.problem_model_refused_do(),
        quote: model(trouble.detail),
      };
    case "longest_answer":
      return {
        happened: m.problem_longest_answer({ tokens: number(trouble.tokens) }),
        todo: m.problem_longest_answer_do(),
      };
    case "model_cut":
      return { happened: m.problem_model_cut(), todo: m.problem_model_cut_do() };
    case "model_reads_only":
      return {
        happened: m.problem_model_reads_only({ tokens: number(trouble.tokens) }),
        todo: trouble.settable ? m.problem_model_reads_only_set() : m.problem_model_reads_only_do(),
      };
    case "model_takes_no_tools":
      return {
        happened: m.problem_model_takes_no_tools({ model: visible(trouble.model) }),
        todo: m.problem_model_takes_no_tools_do(),
      };
    case "model_timed_out":
      return {
        happened: m.problem_model_timed_out({ seconds: trouble.seconds }),
        todo: m.problem_model_timed_out_do(),
      };
    case "model_too_large":
      return {
        happened: m.problem_model_too_large({ megabytes: number(trouble.megabytes) }),
        todo: m.problem_model_too_large_do(),
      };
    case "model_malformed":
      return {
        happened: m.problem_model_malformed(),
        todo: m.problem_model_malformed_do(),
        quote: system(trouble.detail),
      };
    case "model_gone":
      return { happened: m.problem_model_gone(), todo: m.problem_model_gone_do() };
    case "too_many_rounds":
      return { happened: m.problem_too_many_rounds({ rounds: trouble.rounds }), todo: m.problem_too_many_rounds_do() };
    case "disk_full":
      return { happened: m.problem_disk_full(), todo: m.problem_disk_full_do() };
    case "data_newer":
      return {
        happened: m.problem_data_newer({ found: trouble.found, known: trouble.known }),
        todo: m.problem_data_newer_do(),
      };
    case "data_in_use":
      return { happened: m.problem_data_in_use({ folder: visible(trouble.folder) }), todo: m.problem_data_in_use_do() };
    case "data_unreadable":
      return {
        happened: m.problem_data_unreadable(),
        todo: m.problem_data_unreadable_do(),
        quote: system(trouble.detail),
      };
    case "folder_unusable":
      return {
        happened: m.problem_folder_unusable({ folder: visible(trouble.folder) }),
        todo: m.problem_folder_unusable_do(),
        quote: system(trouble.detail),
      };
    case "read_only":
      return { happened: m.problem_read_only(), todo: m.problem_read_only_do() };
    case "store_failed":
      return { happened: m.problem_store_failed(), todo: m.problem_store_failed_do(), quote: system(trouble.detail) };
    case "secrets_missing":
      return {
        happened: m.problem_secrets_missing({ names: trouble.names.map(visible).join(", ") }),
        todo: m.problem_secrets_missing_do(),
      };
    case "keychain_failed":
      return {
        happened: m.problem_keychain_failed(),
        todo: m.problem_keychain_failed_do(),
        quote: system(trouble.detail),
      };
    case "json_broken":
      return {
        happened: m.problem_json_broken({ line: trouble.line, column: trouble.column }),
        todo: m.problem_json_broken_do(),
        quote: system(trouble.detail),
      };
    case "json_without_servers":
      return { happened: m.problem_json_without_servers(), todo: m.problem_json_without_servers_do() };
    case "entry_unreadable":
      return {
        happened: m.problem_entry_unreadable(),
        todo: m.problem_entry_unreadable_do(),
        quote: system(trouble.detail),
      };
    case "rules_unreadable":
      return {
        happened: m.problem_rules_unreadable(),
        todo: m.problem_rules_unreadable_do(),
        quote: system(trouble.detail),
      };
    case "rule_unkeepable":
      return {
        happened: m.problem_rule_unkeepable(),
        todo: m.problem_rule_unkeepable_do(),
        quote: system(trouble.detail),
      };
    case "not_exported":
      return {
        happened: m.problem_not_exported({ path: visible(trouble.path) }),
        todo: m.problem_not_exported_do(),
        quote: system(trouble.detail),
      };
    case "name_missing":
      return { happened: m.problem_name_missing(), todo: m.problem_name_missing_do() };
    case "name_taken":
      return { happened: m.problem_name_taken({ name: visible(trouble.name) }), todo: m.problem_name_taken_do() };
    case "command_missing":
      return { happened: m.problem_command_missing(), todo: m.problem_command_missing_do() };
    case "command_line_unclosed":
      return { happened: m.problem_command_line_unclosed(), todo: m.problem_command_line_unclosed_do() };
    case "address_missing":
      return { happened: m.problem_address_missing(), todo: m.problem_address_missing_do() };
    case "model_name_invalid":
      return {
        happened: m.problem_model_name_invalid({ name: visible(trouble.name) }),
        todo: m.problem_model_name_invalid_do(),
      };
    case "header_invalid":
      return {
        happened: m.problem_header_invalid({ name: visible(trouble.name) }),
        todo: m.problem_header_invalid_do(),
      };
    case "address_invalid":
      return {
        happened: m.problem_address_invalid({ url: visible(trouble.url) }),
        todo: m.problem_address_invalid_do(),
        quote: system(trouble.detail),
      };
    case "address_deceives":
      return {
        happened: m.problem_address_deceives({ origin: visible(trouble.origin) }),
        todo: trouble.warnings
          .map((warning) => oddity(warning, "server"))
          .map(({ what, then }) => `${what} ${then}`)
          .join(" "),
      };
    case "chat_busy":
      return { happened: m.problem_chat_busy(), todo: m.problem_chat_busy_do() };
    case "not_asked":
      return { happened: m.problem_not_asked(), todo: m.problem_not_asked_do() };
    case "gone":
      return { happened: m.problem_gone(), todo: m.problem_gone_do() };
    case "too_long":
      return { happened: m.problem_too_long({ limit: number(trouble.limit_kb) }), todo: m.problem_too_long_do() };
    case "answer_stale":
      return { happened: m.problem_answer_stale(), todo: m.problem_answer_stale_do() };
    case "answer_too_soon":
      return { happened: m.problem_answer_too_soon(), todo: m.problem_answer_too_soon_do() };
    case "answer_unfit":
      return { happened: m.problem_answer_unfit(), todo: m.problem_answer_unfit_do(), quote: system(trouble.detail) };
    case "unexpected":
      return { happened: m.problem_unexpected(), todo: m.problem_unexpected_do(), quote: system(trouble.detail) };
    default:
      return trouble satisfies never;
  }
}

function server(text: string): Words["quote"] {
  return text.trim() === "" ? undefined : { by: "server", text };
}

function system(text: string): Words["quote"] {
  return text.trim() === "" ? undefined : { by: "system", text };
}

function model(text: string): Words["quote"] {
  return text.trim() === "" ? undefined : { by: "model", text };
}

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
