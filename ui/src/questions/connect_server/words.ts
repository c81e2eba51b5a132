import { visible } from "../../features/text/escapes";
import { slot } from "../../features/text/rich";
import type { Scope } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";

const MEANINGS: Record<Scope, () => string> = {
  once: m.means_connect_once,
  chat: m.means_connect_chat,
  workspace: m.means_connect_workspace,
  always: m.means_connect_always,
};

export const words: KindWords<AboutOf<"connect_server">> = {
  family: m.family_connect,
  tab: () => m.tab_connect(),
  ask: (_, server) => ({ sentence: m.ask_connect({ server: slot(0) }), values: [server] }),
  because: () => m.because_connect(),
  accept: (_, server) => m.connect_name({ server: visible(server) }),
  always: m.scope_always_connect,
  meaning: (_, { scope }) => ({ sentence: MEANINGS[scope](), values: [] }),
};
