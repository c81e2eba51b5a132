// The kinds of questions. This is the one place that knows all of them.
import type { QuestionBody, Question } from "../host/bindings";
import { allowTool } from "./allow_tool";
import { callTool } from "./call_tool";
import { connectServer } from "./connect_server";
import { fillForm } from "./fill_form";
import { flood } from "./flood";
import { CardDraft } from "./frame/draft.svelte";
import { keepRules } from "./keep_rules";
import type { AboutOf, Check, Kind, QuestionKind } from "./kind";
import { lookUpIssuer } from "./look_up_issuer";
import { openPage } from "./open_page";
import { samplePrompt } from "./sample_prompt";
import { sampleReply } from "./sample_reply";
import { shareFolders } from "./share_folders";
import { signIn } from "./sign_in";
import { startServer } from "./start_server";
import { toolChanged } from "./tool_changed";
import { visitPage } from "./visit_page";
import { widen } from "./widen";

const KINDS = {
  start_server: startServer,
  connect_server: connectServer,
  look_up_issuer: lookUpIssuer,
  sign_in: signIn,
  call_tool: callTool,
  tool_changed: toolChanged,
  allow_tool: allowTool,
  keep_rules: keepRules,
  fill_form: fillForm,
  sample_prompt: samplePrompt,
  sample_reply: sampleReply,
  share_folders: shareFolders,
  open_page: openPage,
  visit_page: visitPage,
  widen,
  flood,
} satisfies { [K in Kind]: { Body: unknown; words: QuestionKind<AboutOf<K>>["words"] } };

/** The record of a kind, to be used with what this question is about and its own draft only. */
export function kindOf(about: QuestionBody): QuestionKind {
  return KINDS[about.kind] as unknown as QuestionKind;
}

/** An untouched draft for a card. */
export function draftOf(question: Question, check: Check): CardDraft {
  return new CardDraft(question, kindOf, check);
}
