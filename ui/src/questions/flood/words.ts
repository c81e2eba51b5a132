import { slot } from "../../features/text/rich";
import { number } from "../../features/text/format";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";
import { withdrawnByServer } from "../withdrawn";

export const words: KindWords<AboutOf<"flood">> = {
  family: m.family_flood,
  tab: ({ waiting }) => m.tab_flood({ count: waiting }),
  ask({ asking, asked }, server) {
    const ask = asking === "call" ? m.ask_flood_calls : m.ask_flood;
    return { sentence: ask({ server: slot(0), count: number(asked) }), values: [server] };
  },
  because: () => m.because_flood(),
  // Where the questions are not alike they are not permitted together, and where they are, their own kind says it.
  accept: () => "",
  meaning: () => null,
  withdrawn: withdrawnByServer,
};
