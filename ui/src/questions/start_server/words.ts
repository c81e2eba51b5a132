import { visible } from "../../features/text/escapes";
import { slot } from "../../features/text/rich";
import type { Scope } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";

const MEANINGS: Record<Scope, () => string> = {
  once: m.means_start_once,
  chat: m.means_start_chat,
  workspace: m.means_start_workspace,
  always: m.means_start_always,
};

export const words: KindWords<AboutOf<"start_server">> = {
  family: m.family_start,
  tab: () => m.tab_start(),
  ask: (_, server) => ({ sentence: m.ask_start({ server: slot(0) }), values: [server] }),
  because: () => m.because_start(),
  accept: (_, server) => m.start_name({ server: visible(server) }),
  always: m.scope_always_start,
  meaning: ({ serves_model: model }, { scope }) => ({
    sentence: model ? m.means_start_model() : MEANINGS[scope](),
    values: [],
  }),
};
