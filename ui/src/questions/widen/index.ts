import LockOpen from "@lucide/svelte/icons/lock-open";
import type { UrlInspection, Widening } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { unfit, type AboutOf, type QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { words } from "./words";

/** The address everything said in chats would go to. */
function addressOf(change: Widening): UrlInspection | null {
  if (change.widening === "save_connection") return change.connection.address;
  return change.widening === "chat_model" ? change.to.address : null;
}

export const widen: QuestionKind<AboutOf<"widen">> = {
  Body,
  icon: LockOpen,
  words,
  blocked: (change) => (addressOf(change)?.verdict === "block" ? unfit(m.blocked_address()) : null),
};
