import { slot } from "../../features/text/rich";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";
import { withdrawnByServer } from "../withdrawn";

export const words: KindWords<AboutOf<"open_page">> = {
  family: m.family_page,
  tab: () => m.tab_page(),
  ask: ({ source }, server) =>
    source.from === "answer"
      ? { sentence: m.ask_link({ model: slot(0) }), values: [source.model] }
      : { sentence: m.ask_page({ server: slot(0) }), values: [server] },
  because: () => m.because_server_alone(),
  becauseChat: (names, { source }) => (source.from === "answer" ? m.because_link(names) : m.because_call(names)),
  accept: () => m.open_in_browser(),
  meaning: ({ address }) => (address.verdict === "block" ? null : { sentence: m.means_open_page(), values: [] }),
  withdrawn: withdrawnByServer,
};
