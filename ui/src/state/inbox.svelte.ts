// The questions that wait, and the one in front. What the user has typed into a card stays with its question while
// they look at another, and over a reload of the window. An answer travels with the nonce and digest of what was shown.
import { SvelteMap } from "svelte/reactivity";
import type { Answer, InboxMessage, MutedView, Question, QuestionId, SavedInput, Settings } from "../host/bindings";
import { troubleOf, type ConsentHost, type Trouble } from "../host";
import { Guard } from "../questions/frame/guard.svelte";
import type { CardDraft, Entered } from "../questions/frame/draft.svelte";
import { draftOf, kindOf } from "../questions/registry";
import { DraftAutosave } from "./draftAutosave";

/** How long the words about a withdrawn question stay. */
const FAREWELL_MS = 3500;

export class Inbox {
  questions = $state.raw<Question[]>([]);
  /** What is not asked because it is muted. */
  muted = $state.raw<MutedView[]>([]);
  settings = $state.raw<Settings | null>(null);
  /** A question that was withdrawn while it was in front. */
  left = $state.raw<Question | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  /** Whether an answer is on its way. */
  answering = $state(false);
  readonly guard = new Guard();
  /** Counts up when the card in front has to be presented again although it is the same. */
  shows = $state(0);

  #picked = $state<QuestionId | null>(null);
  readonly #host: ConsentHost;
  readonly #drafts = new SvelteMap<QuestionId, CardDraft>();
  readonly #autosave: DraftAutosave;
  /** What was entered before this window was loaded. */
  #kept: SavedInput[] = [];
  #answered: QuestionId | null = null;
  #withdrawalTimer: ReturnType<typeof setTimeout> | undefined;

  question = $derived.by(() => this.questions.find(({ id }) => id === this.#picked) ?? this.questions[0]);

  constructor(host: ConsentHost) {
    this.#host = host;
    this.#autosave = new DraftAutosave(host);
  }

  /** Follows the questions until the host has no more messages. */
  async follow(): Promise<void> {
    try {
      await this.#host.open();
      for (;;) {
        const messages = await this.#host.messages();
        if (messages === null) return;
        for (const message of messages) this.#take(message);
      }
    } catch (error) {
      this.trouble = troubleOf(error);
    }
  }

  /** What the user has done on this card; there is a draft for every question from the moment it arrives. */
  draftOf(question: Question): CardDraft {
    return this.#drafts.get(question.id) ?? this.#draft(question);
  }

  #draft(question: Question): CardDraft {
    const draft = draftOf(question, (content) => this.#host.check(question.id, content));
    const kept = this.#kept.find(({ question: id, nonce }) => id === question.id && nonce === question.nonce);
    if (kept) draft.restore(kept.entered as Entered);
    return draft;
  }

  /** Has what is entered on a card kept. */
  keep(question: Question): void {
    this.#autosave.keep(question, this.draftOf(question).entered);
  }

  /** The other questions that ask exactly what this one asks. */
  sameAs(question: Question): QuestionId[] {
    const others = this.questions.filter(({ id, same }) => same === question.same && id !== question.id);
    return others.map(({ id }) => id);
  }

  async unmute({ server, asking }: MutedView): Promise<void> {
    try {
      await this.#host.unmute(server, asking);
    } catch (error) {
      this.trouble = troubleOf(error);
    }
  }

  /** Brings another question to the front. */
  pick(question: QuestionId): void {
    if (question === this.question?.id && this.left === null) return;
    this.guard.reset();
    this.trouble = null;
    this.left = null;
    this.#picked = question;
  }

  /** Tells the host that the card in front is painted. */
  async present(question: QuestionId): Promise<void> {
    try {
      await this.#host.present(question);
    } catch (error) {
      if (question === this.question?.id) this.trouble = troubleOf(error);
    }
  }

  async answer(question: Question, answer: Answer): Promise<void> {
    if (this.answering) return;
    this.answering = true;
    this.trouble = null;
    this.#answered = question.id;
    try {
      const { id, nonce, digest } = question;
      const also = this.draftOf(question).also ? this.sameAs(question) : [];
      await this.#host.answer({ question: id, nonce, digest, answer, also });
    } catch (error) {
      this.#answered = null;
      this.trouble = troubleOf(error);
      if (this.trouble.problem === "answer_too_soon") this.#presentAgain();
    } finally {
      this.answering = false;
    }
  }

  /** Hides the window; what waits goes on waiting. */
  async hide(): Promise<void> {
    try {
      await this.#host.hide();
    } catch (error) {
      this.trouble = troubleOf(error);
    }
  }

  #presentAgain(): void {
    this.guard.reset();
    this.shows += 1;
  }

  /** A message that cannot be shown must not keep those after it from the user. */
  #take(message: InboxMessage): void {
    try {
      this.#hear(message);
    } catch (error) {
      this.trouble = troubleOf(error);
    }
  }

  #hear(message: InboxMessage): void {
    switch (message.message) {
      case "kept":
        this.#kept = message.kept;
        break;
      case "state":
        this.settings = message.settings;
        this.muted = message.muted;
        this.#replace(message.questions);
        break;
      case "guard":
        if (message.question === this.question?.id && this.left === null) this.guard.start(message.ms);
        break;
      case "show":
        this.pick(message.question);
        break;
      case "hidden":
        this.#presentAgain();
        break;
      default:
        message satisfies never;
    }
  }

  #replace(questions: Question[]): void {
    const before = this.question;
    const alike = before ? this.sameAs(before) : [];
    for (const question of questions) {
      const known = this.questions.find(({ id }) => id === question.id);
      // What stands behind the card of a flood can become something else while it is looked at.
      if (!known || contents(known) !== contents(question)) this.#drafts.set(question.id, this.#draft(question));
    }
    this.questions = questions;
    for (const id of this.#drafts.keys()) {
      if (!questions.some((question) => question.id === id)) this.#drop(id);
    }
    if (!before) {
      this.guard.reset();
      this.left = null;
      return;
    }
    if (questions.some(({ id }) => id === before.id)) {
      // "Answer these as well" was ticked for as many as there were.
      if (this.sameAs(before).some((id) => !alike.includes(id))) this.draftOf(before).also = false;
      return;
    }
    this.guard.reset();
    this.trouble = null;
    this.#picked = null;
    // A flood moves questions that were not looked at behind its card; they are not gone.
    const taken = questions.find(({ about, server }) => kindOf(about).batch && server.id === before.server.id);
    if (taken) this.#picked = taken.id;
    else if (before.id !== this.#answered) this.#sayGoodbye(before);
  }

  #drop(question: QuestionId): void {
    this.#drafts.delete(question);
    this.#autosave.drop(question);
    this.#kept = this.#kept.filter((kept) => kept.question !== question);
  }

  #sayGoodbye(question: Question): void {
    this.left = question;
    clearTimeout(this.#withdrawalTimer);
    this.#withdrawalTimer = setTimeout(() => {
      if (this.left === question) this.left = null;
    }, FAREWELL_MS);
  }
}

/** What a draft was made from; the same for a card that only moved on. */
function contents(question: Question): string {
  const batch = kindOf(question.about).batch?.(question.about);
  return batch ? JSON.stringify(batch.alike) : question.id;
}
