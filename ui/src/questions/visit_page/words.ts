import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";

export const words: KindWords<AboutOf<"visit_page">> = {
  family: m.family_page,
  tab: () => m.tab_page(),
  ask: ({ not_opened }) => ({ sentence: not_opened === null ? m.ask_visit() : m.ask_visit_failed(), values: [] }),
  because: () => m.because_server_alone(),
  becauseChat: (names) => m.because_call(names),
  refuse: m.give_up,
  accept: () => m.done(),
  meaning: () => null,
  withdrawn: (names) => ({ sentence: m.withdrawn_visit(names), meaning: m.withdrawn_visit_long() }),
};
