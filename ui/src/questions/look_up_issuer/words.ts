import { slot } from "../../features/text/rich";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";
import { hostOf } from "../sign_in/signIn";

export const words: KindWords<AboutOf<"look_up_issuer">> = {
  family: m.family_sign_in,
  tab: () => m.tab_sign_in(),
  ask: (_, server) => ({ sentence: m.ask_look_up({ server: slot(0) }), values: [server] }),
  because: () => m.because_look_up(),
  accept: () => m.look_up_accept(),
  meaning: ({ issuer }) =>
    issuer.verdict === "block" ? null : { sentence: m.means_look_up({ issuer: slot(0) }), values: [hostOf(issuer)] },
};
