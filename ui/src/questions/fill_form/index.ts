import ClipboardList from "@lucide/svelte/icons/clipboard-list";
import { m } from "../../paraglide/messages";
import { unfit, unseen, type AboutOf, type QuestionKind } from "../kind";
import Body from "./Body.svelte";
import { FormAnswers } from "./draft.svelte";
import { words } from "./words";

export const fillForm: QuestionKind<AboutOf<"fill_form">, FormAnswers> = {
  Body,
  icon: ClipboardList,
  words,
  draft: (form, check) => new FormAnswers(form, check),
  blocked(form, { shown, misfits }) {
    if (shown.length < form.fields.length) return unseen(m.blocked_unseen());
    if (misfits === null) return unfit(m.blocked_checking());
    return misfits.length > 0 ? unseen(m.blocked_fields({ count: misfits.length })) : null;
  },
  permit: ({ content, notSecret }) => ({
    answer: "submit",
    content: { ...content },
    not_secret: [...notSecret],
  }),
  skips: true,
};
