import { slot } from "../../features/text/rich";
import { heldToOneChat, toolMeaning } from "../../features/tool/meaning";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";

export const words: KindWords<AboutOf<"allow_tool">> = {
  family: m.family_allow,
  tab: ({ name }) => name,
  ask: ({ name }, server) => ({ sentence: m.ask_allow({ server: slot(0), tool: slot(1) }), values: [server, name] }),
  because: () => m.because_allow(),
  refuse: m.keep_asking,
  accept: () => m.allow_without_asking(),
  meaning: ({ name }, { scope, chat }) => toolMeaning(scope, name, chat, false),
  held: ({ claims }, scopes) => heldToOneChat(claims, scopes),
};
