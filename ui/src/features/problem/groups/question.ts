// The words for problems of questions and their answers.
import type { QuestionProblem } from "../../../host/bindings";
import { m } from "../../../paraglide/messages";
import { system, type WordsOf } from "../words";

export const questionProblems: WordsOf<QuestionProblem> = {
  not_asked: () => ({ happened: m.problem_not_asked(), todo: m.problem_not_asked_do() }),
  answer_stale: () => ({ happened: m.problem_answer_stale(), todo: m.problem_answer_stale_do() }),
  answer_too_soon: () => ({ happened: m.problem_answer_too_soon(), todo: m.problem_answer_too_soon_do() }),
  answer_unfit: (trouble) => ({
    happened: m.problem_answer_unfit(),
    todo: m.problem_answer_unfit_do(),
    quote: system(trouble.detail),
  }),
  page_not_opened: (trouble) => ({
    happened: m.page_not_opened(),
    todo: m.page_not_opened_long(),
    quote: system(trouble.detail),
  }),
  window_not_shown: (trouble) => ({
    happened: m.problem_window_not_shown(),
    todo: m.problem_window_not_shown_do(),
    quote: system(trouble.detail),
  }),
  window_not_hidden: (trouble) => ({
    happened: m.problem_window_not_hidden(),
    todo: m.problem_window_not_hidden_do(),
    quote: system(trouble.detail),
  }),
};
