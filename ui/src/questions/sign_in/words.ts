import { visible } from "../../features/text/escapes";
import { slot } from "../../features/text/rich";
import type { SignIn } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";
import { blockedAddresses } from "./signIn";

function isForMore({ history }: SignIn): boolean {
  return history.history === "more_scopes";
}

export const words: KindWords<AboutOf<"sign_in">> = {
  family: m.family_sign_in,
  tab: () => m.tab_sign_in(),
  ask(about, server) {
    const ask = isForMore(about) ? m.ask_sign_in_more : m.ask_sign_in;
    return { sentence: ask({ server: slot(0) }), values: [server] };
  },
  because: () => m.because_sign_in(),
  accept: (about, server) => (isForMore(about) ? m.sign_in_more_accept : m.sign_in_accept)({ server: visible(server) }),
  meaning(about, { server }) {
    if (blockedAddresses(about).length > 0) return null;
    const means = about.way.way === "page" ? m.means_sign_in_page : m.means_sign_in_machine;
    return { sentence: means({ server: slot(0) }), values: [server] };
  },
};
