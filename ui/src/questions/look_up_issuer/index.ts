import LogIn from "@lucide/svelte/icons/log-in";
import { m } from "../../paraglide/messages";
import { unfit, type AboutOf, type QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { words } from "./words";

export const lookUpIssuer: QuestionKind<AboutOf<"look_up_issuer">> = {
  Body,
  icon: LogIn,
  words,
  blocked: ({ issuer }) => (issuer.verdict === "block" ? unfit(m.blocked_address()) : null),
};
