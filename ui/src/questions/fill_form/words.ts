import { visible } from "../../features/text/escapes";
import { slot } from "../../features/text/rich";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";
import { withdrawnByServer } from "../withdrawn";

export const words: KindWords<AboutOf<"fill_form">> = {
  family: m.family_form,
  tab: () => m.tab_form(),
  ask: (_, server) => ({ sentence: m.ask_form({ server: slot(0) }), values: [server] }),
  because: () => m.because_server_alone(),
  becauseChat: (names) => m.because_call(names),
  accept: (_, server) => m.send_to({ server: visible(server) }),
  meaning: (_, { server }) => ({ sentence: m.means_form({ server: slot(0) }), values: [server] }),
  withdrawn: withdrawnByServer,
};
