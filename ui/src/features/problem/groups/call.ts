// The words for problems of calls and what they need.
import type { CallProblem } from "../../../host/bindings";
import { m } from "../../../paraglide/messages";
import { visible } from "../../text/escapes";
import { uncheckedReason } from "../unchecked";
import { server, system, type WordsOf } from "../words";

export const callProblems: WordsOf<CallProblem> = {
  call_lost: (trouble) => ({
    happened: m.problem_call_lost(),
    todo: m.problem_call_lost_do(),
    quote: trouble.stderr.length > 0 ? server(trouble.stderr.join("\n")) : system(trouble.detail),
  }),
  call_not_sent: (trouble) => ({
    happened: m.problem_call_not_sent(),
    todo: m.problem_call_not_sent_do(),
    quote: system(trouble.detail),
  }),
  server_error: (trouble) => ({
    happened: m.problem_server_error({ code: trouble.code }),
    todo: m.problem_server_error_do(),
    quote: server(trouble.message),
  }),
  call_timed_out: (trouble) => ({
    happened: m.problem_call_timed_out({ seconds: trouble.seconds }),
    todo: m.problem_call_timed_out_do(),
  }),
  call_not_completed: (trouble) => ({
    happened: m.problem_call_not_completed(),
    todo: m.problem_call_not_completed_do(),
    quote: system(trouble.detail),
  }),
  malformed_reply: (trouble) => ({
    happened: m.problem_malformed_reply(),
    todo: m.problem_malformed_reply_do(),
    quote: system(trouble.detail),
  }),
  reply_too_large: (trouble) => ({
    happened: m.problem_reply_too_large(),
    todo: m.problem_reply_too_large_do(),
    quote: system(trouble.detail),
  }),
  task_gone: () => ({ happened: m.problem_task_gone(), todo: m.problem_task_gone_do() }),
  no_such_resource: (trouble) => ({
    happened: m.problem_no_such_resource({ uri: visible(trouble.uri) }),
    todo: m.problem_no_such_resource_do(),
  }),
  reading_refused: () => ({ happened: m.problem_reading_refused(), todo: m.problem_reading_refused_do() }),
  page_not_visited: () => ({ happened: m.problem_page_not_visited(), todo: m.problem_page_not_visited_do() }),
  not_offered: (trouble) => ({
    happened: m.problem_not_offered({ name: visible(trouble.name) }),
    todo: m.problem_not_offered_do(),
  }),
  no_such_tool: (trouble) => ({
    happened: m.problem_no_such_tool({ name: visible(trouble.name) }),
    todo: m.problem_no_such_tool_do(),
  }),
  tool_changed_meanwhile: (trouble) => ({
    happened: m.problem_tool_changed_meanwhile({ tool: visible(trouble.tool) }),
    todo: m.problem_tool_changed_meanwhile_do(),
  }),
  tool_held: (trouble) => ({
    happened: m.problem_tool_held({ tool: visible(trouble.tool) }),
    todo: m.problem_tool_held_do(),
  }),
  arguments_invalid: (trouble) => ({
    happened: m.problem_arguments_invalid(),
    todo: m.problem_arguments_invalid_do(),
    quote: system(trouble.errors.join("\n")),
  }),
  arguments_unchecked: (trouble) => ({
    happened: m.problem_arguments_unchecked(),
    todo: m.problem_arguments_unchecked_do(),
    quote: system(uncheckedReason(trouble.reason)),
  }),
  arguments_unreadable: (trouble) => ({
    happened: m.problem_arguments_unreadable(),
    todo: m.problem_arguments_unreadable_do(),
    quote: system(trouble.detail),
  }),
};
