// The words for problems of language models.
import type { ModelProblem } from "../../../host/bindings";
import { m } from "../../../paraglide/messages";
import { money, number } from "../../text/format";
import { visible } from "../../text/escapes";
import { model, system, type WordsOf } from "../words";

const USED_UP = {
  chat: m.problem_chat_budget_used_up,
  day: m.problem_day_budget_used_up,
  month: m.problem_budget_used_up,
};

export const modelProblems: WordsOf<ModelProblem> = {
  model_unreachable: (trouble) => ({
    happened: m.problem_model_unreachable({ endpoint: visible(trouble.endpoint) }),
    todo: m.problem_model_unreachable_do(),
    quote: system(trouble.detail),
  }),
  model_unauthorized: (trouble) => ({
    happened: m.problem_model_unauthorized({ endpoint: visible(trouble.endpoint) }),
    todo: m.problem_model_unauthorized_do(),
  }),
  model_key_over_http: (trouble) => ({
    happened: m.problem_model_key_over_http({ endpoint: visible(trouble.endpoint) }),
    todo: m.problem_model_key_over_http_do(),
  }),
  model_missing: (trouble) => ({
    happened: m.problem_model_missing({ endpoint: visible(trouble.endpoint), model: visible(trouble.model) }),
    todo: m.problem_model_missing_do(),
    quote: model(trouble.detail ?? ""),
  }),
  model_busy: (trouble) => ({
    happened: m.problem_model_busy(),
    todo:
      trouble.retry_after_s === null
        ? m.problem_model_busy_do()
        : m.problem_model_busy_do_after({ seconds: trouble.retry_after_s }),
    quote: model(trouble.detail ?? ""),
  }),
  model_refused: (trouble) => ({
    // With 200 the server had taken the request, and ended its answer with an error or a reason of its own.
    happened:
      trouble.status === 200 ? m.problem_model_ended_answer() : m.problem_model_refused({ status: trouble.status }),
    todo: m.problem_model_refused_do(),
    quote: model(trouble.detail),
  }),
  chat_too_long: (trouble) => ({
    happened: m.problem_chat_too_long(),
    todo: m.problem_chat_too_long_do(),
    quote: model(trouble.detail),
  }),
  answer_empty: ({ reason }) => ({
    happened: m.problem_answer_empty(),
    todo: reason === null ? m.problem_answer_empty_do() : m.problem_answer_empty_do_reason(),
    quote: model(reason ?? ""),
  }),
  answer_withheld: () => ({ happened: m.problem_answer_withheld(), todo: m.problem_answer_withheld_do() }),
  longest_answer: (trouble) => ({
    happened: m.problem_longest_answer({ tokens: number(trouble.tokens) }),
    todo: m.problem_longest_answer_do(),
  }),
  model_cut: () => ({ happened: m.problem_model_cut(), todo: m.problem_model_cut_do() }),
  model_reads_only: (trouble) => ({
    happened: m.problem_model_reads_only({ tokens: number(trouble.tokens) }),
    todo: trouble.settable ? m.problem_model_reads_only_set() : m.problem_model_reads_only_do(),
  }),
  model_takes_no_tools: (trouble) => ({
    happened: m.problem_model_takes_no_tools({ model: visible(trouble.model) }),
    todo: m.problem_model_takes_no_tools_do(),
  }),
  model_timed_out: (trouble) => ({
    happened: m.problem_model_timed_out({ seconds: trouble.seconds }),
    todo: m.problem_model_timed_out_do(),
  }),
  model_ran_too_long: (trouble) => ({
    happened: m.problem_model_ran_too_long({ minutes: trouble.minutes }),
    todo: m.problem_model_ran_too_long_do(),
  }),
  model_too_large: (trouble) => ({
    happened: m.problem_model_too_large({ megabytes: number(trouble.megabytes) }),
    todo: m.problem_model_too_large_do(),
  }),
  model_malformed: (trouble) => ({
    happened: m.problem_model_malformed(),
    todo: m.problem_model_malformed_do(),
    quote: system(trouble.detail),
  }),
  model_gone: () => ({ happened: m.problem_model_gone(), todo: m.problem_model_gone_do() }),
  budget_used_up: ({ scope = "month", currency = "USD", spent, limit }) => ({
    happened: USED_UP[scope]({ spent: money(spent, currency), limit: money(limit, currency) }),
    todo: scope === "chat" ? m.problem_chat_budget_used_up_do() : m.problem_budget_used_up_do(),
  }),
  too_many_rounds: (trouble) => ({
    happened: m.problem_too_many_rounds({ rounds: trouble.rounds }),
    todo: m.problem_too_many_rounds_do(),
  }),
};
