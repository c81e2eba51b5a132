import { visible } from "../../features/text/escapes";
import { slot } from "../../features/text/rich";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";
import { withdrawnByServer } from "../withdrawn";

export const words: KindWords<AboutOf<"sample_reply">> = {
  family: m.family_reply,
  tab: () => m.tab_reply(),
  ask: ({ model }, server) => ({ sentence: m.ask_reply({ server: slot(0), model: slot(1) }), values: [server, model] }),
  because: () => m.because_nothing(),
  accept: (_, server) => m.send_to_name({ server: visible(server) }),
  meaning: (_, { server }) => ({ sentence: m.means_reply({ server: slot(0) }), values: [server] }),
  withdrawn: withdrawnByServer,
};
