// What a kind of question brings to its card. The frame draws every card and takes every answer from this record alone, so
// that a kind with a missing part does not compile.
import type Globe from "@lucide/svelte/icons/globe";
import type { Component } from "svelte";
import type { Sentence } from "../features/text/rich";
import type { QuestionBody, Answer, Condition, FieldError, Question, Scope } from "../host/bindings";
import type { CardDraft } from "./frame/draft.svelte";
import type { OnScreen } from "./frame/onScreen.svelte";

export type Kind = QuestionBody["kind"];

/** What a question of one kind is about. */
export type AboutOf<K extends Kind> = Extract<QuestionBody, { kind: K }>;

/** Asks the host what is wrong with the content of a form. */
export type Check = (content: Record<string, unknown>) => Promise<FieldError[]>;

/** Why a card cannot be permitted as it stands, and whether it is because something was not looked at. */
export interface Block {
  words: string;
  unseen: boolean;
}

/** What the user does in the body of a card. */
export interface BodyDraft {
  /** What goes to the host with the permitting answer; null where everything is as it was shown. */
  readonly changed: Record<string, unknown> | null;
  /** What was entered, as JSON; null where nothing was. */
  readonly entered: unknown;
  /** Whether something that looks like a secret was entered and is not in `entered`. */
  readonly withheld?: boolean;
  /** The conditions for later arguments; null where one of them is not whole. */
  readonly when?: Condition[] | null;
  /** Puts back what `entered` was, on the same card. */
  restore(entered: unknown): void;
  /** From now on says everything that is wrong. */
  complain?(): void;
}

/** A draft of a body in which nothing can be entered. */
export const NOTHING_ENTERED: BodyDraft = { changed: null, entered: null, restore: () => undefined };

export interface BodyProps<A, D = BodyDraft> {
  about: A;
  draft: D;
  card: CardDraft;
  question: Question;
}

/** What the answer depends on besides the question itself. */
interface Answering {
  server: string;
  chat: string;
  scope: Scope;
  /** Whether conditions on the arguments were chosen. */
  limited: boolean;
}

/** The words of a kind. Sentences have gaps for the names in them. */
export interface KindWords<A> {
  /** The name of the family, beside its sign. */
  family(): string;
  /** The name in the row of waiting questions. */
  tab(about: A): string;
  /** What tells it apart there from others of its kind. */
  tabDetail?(about: A): string;
  ask(about: A, server: string): Sentence;
  /** What caused it, where nothing in a chat did. */
  because(about: A): string;
  /** The same where a chat did; has a gap for its title. */
  becauseChat?(names: { chat: string }, about: A): string;
  /** "Deny" where it is left out. */
  refuse?(): string;
  accept(about: A, server: string): string;
  /** What permitting means; null where there is nothing to say beyond the question. */
  meaning(about: A, answering: Answering): Sentence | null;
  /** The widest scope with the time it lasts, where it is not about chats. */
  always?(time: { days: number }): string;
  /** Why wider scopes are not offered; null where nothing needs to be said. */
  held?(about: A, scopes: Scope[]): string | null;
  /** The notice for a card that was withdrawn; that of Vestibule's own questions where it is left out. */
  withdrawn?(names: { server: string }): { sentence: string; meaning: string };
}

/** Several questions on one card. */
interface Batch {
  /** What all of them ask, where it is one and the same thing. */
  alike: QuestionBody | null;
  waiting: number;
}

export interface QuestionKind<A extends QuestionBody = QuestionBody, D extends BodyDraft = BodyDraft> {
  Body: Component<BodyProps<A, D>>;
  icon: typeof Globe;
  /** How the sign stands out, where it does. */
  tone?: "strong" | "warn";
  words: KindWords<A>;
  /** Where it is left out, nothing can be entered. */
  draft?(about: A, check: Check): D;
  /** Why it cannot be permitted yet, apart from the guard. */
  blocked?(about: A, draft: D, scope: Scope): Block | null;
  /** The permitting answer, where it is not "accept". */
  permit?(draft: D): Answer;
  /** How many days a permission for every chat lasts, where the user picks how long the answer holds. */
  lastingDays?: number;
  /** What stands with the meaning of an answer that holds for longer than once. */
  Lasting?: Component<{ draft: D; sight: OnScreen }>;
  /** A denial can carry a reason. */
  reasons?: true;
  /** A question that is put off ends in another way than one that is denied. */
  skips?: true;
  /** One permission is never for several of them. */
  alone?: true;
  /** Whether it can be done once more before it is answered. */
  again?(about: A): boolean;
  /** The questions behind the card, where it stands for several. */
  batch?(about: A): Batch;
}

export function unseen(words: string): Block {
  return { words, unseen: true };
}

export function unfit(words: string): Block {
  return { words, unseen: false };
}
