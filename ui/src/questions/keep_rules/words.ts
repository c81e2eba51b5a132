import { slot } from "../../features/text/rich";
import type { RuleSet } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";

function askOf(set: RuleSet) {
  if (set.outside) return m.ask_rules_outside;
  return set.before ? m.ask_rule : m.ask_rules;
}

export const words: KindWords<AboutOf<"keep_rules">> = {
  family: m.family_rules,
  tab: () => m.family_rules(),
  ask: (set, server) => ({ sentence: askOf(set)({ server: slot(0) }), values: [server] }),
  because(set) {
    if (set.outside) return m.because_rules_outside();
    return set.before ? m.because_rule() : m.because_rules();
  },
  accept(set) {
    if (set.outside) return m.accept_rules_outside();
    return set.before ? m.accept_rule() : m.accept_rules();
  },
  meaning: () => ({ sentence: m.means_keep_rules(), values: [] }),
};
