import LogIn from "@lucide/svelte/icons/log-in";
import { m } from "../../paraglide/messages";
import { unfit, unseen, type AboutOf, type QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { SignInDraft } from "./draft.svelte";
import { blockedAddresses, otherPage } from "./signIn";
import { words } from "./words";

export const signIn: QuestionKind<AboutOf<"sign_in">, SignInDraft> = {
  Body,
  icon: LogIn,
  words,
  draft: () => new SignInDraft(),
  blocked(about, draft) {
    if (blockedAddresses(about).length > 0) return unfit(m.blocked_sign_in());
    return !draft.confirmed && otherPage(about) ? unseen(m.blocked_confirm()) : null;
  },
};
