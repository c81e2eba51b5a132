import { summaryOf } from "../../features/call/summary";
import { slot } from "../../features/text/rich";
import { heldToOneChat, toolMeaning } from "../../features/tool/meaning";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";

export const words: KindWords<AboutOf<"call_tool">> = {
  family: m.family_call,
  tab: ({ tool }) => tool.name,
  tabDetail: (about) => summaryOf(about.arguments as Record<string, unknown>),
  ask: ({ tool }, server) => ({
    sentence: m.ask_call({ server: slot(0), tool: slot(1) }),
    values: [server, tool.name],
  }),
  because: () => m.because_nothing(),
  becauseChat: (names) => m.because_model(names),
  accept: () => m.accept_once(),
  meaning: ({ tool }, { scope, chat, limited }) => toolMeaning(scope, tool.name, chat, limited),
  held: ({ tool }, scopes) => heldToOneChat(tool.claims, scopes),
};
