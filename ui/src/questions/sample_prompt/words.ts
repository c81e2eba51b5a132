import { slot } from "../../features/text/rich";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";
import { withdrawnByServer } from "../withdrawn";

export const words: KindWords<AboutOf<"sample_prompt">> = {
  family: m.family_sample,
  tab: () => m.tab_sample(),
  ask: (_, server) => ({ sentence: m.ask_sample({ server: slot(0) }), values: [server] }),
  because: () => m.because_nothing(),
  accept: () => m.send_to_model(),
  meaning: (_, { server }) => ({ sentence: m.means_sample({ server: slot(0) }), values: [server] }),
  withdrawn: withdrawnByServer,
};
