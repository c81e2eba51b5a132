import { slot } from "../../features/text/rich";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";
import { withdrawnByServer } from "../withdrawn";

export const words: KindWords<AboutOf<"share_folders">> = {
  family: m.family_folders,
  tab: () => m.tab_folders(),
  ask: (_, server) => ({ sentence: m.ask_folders({ server: slot(0) }), values: [server] }),
  because: ({ asked }) => (asked ? m.because_server_asks() : m.because_you_share()),
  refuse: m.share_none,
  accept: () => m.share_selected(),
  meaning: (_, { server }) => ({ sentence: m.means_folders({ server: slot(0) }), values: [server] }),
  withdrawn: withdrawnByServer,
};
