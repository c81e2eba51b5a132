import LockOpen from "@lucide/svelte/icons/lock-open";
import { m } from "../../paraglide/messages";
import { unfit, type AboutOf, type QuestionKind } from "../kind";
import { isBlocked } from "./address";
import Body from "./Body.svelte";
import { words } from "./words";

export const widen: QuestionKind<AboutOf<"widen">> = {
  Body,
  icon: LockOpen,
  words,
  blocked: (change) => (isBlocked(change) ? unfit(m.blocked_address()) : null),
};
