// The questions that wait, and the one in front. What the person has typed into a card stays with its question while
// they look at another. An answer travels with the nonce and digest of what was shown.
import { SvelteMap } from "svelte/reactivity";
import type {
  Answer,
  Condition,
  InboxMessage,
  MutedView,
  Question,
  QuestionId,
  Scope,
  Settings,
} from "../host/bindings";
import { troubleOf, type ConsentHost, type Trouble } from "../host";
import { FormAnswers, type Check } from "../features/form/answers.svelte";
import { contentOf } from "../features/cards/content";
import { Guard } from "../features/cards/guard.svelte";
import { FoldersDraft } from "../features/cards/folders.svelte";
import { PromptDraft, ReplyDraft } from "../features/cards/sampling.svelte";
import { conditionOf, type ConditionDraft } from "../features/rule/conditions";
import { ArgumentsDraft } from "../features/schema/arguments.svelte";

/** How long the words about a withdrawn question stay. */
const FAREWELL_MS = 3500;

/** What the person has done on one card so far. */
export class CardDraft {
  scope = $state<Scope>("once");
  reason = $state("");
  reasonOpen = $state(false);
  /** For a tool call. */
  readonly arguments: ArgumentsDraft | undefined;
  /** For what a model is told. */
  readonly prompt: PromptDraft | undefined;
  /** For what a server hears of a model. */
  readonly reply: ReplyDraft | undefined;
  /** For folders to share. */
  readonly folders: FoldersDraft | undefined;
  /** For a form. */
  readonly answers: FormAnswers | undefined;
  /** Whether long things on the card have been opened, for cards without arguments. */
  revealed = $state(false);
  /** What later arguments have to be like, where the answer is to hold for longer. */
  conditions = $state.raw<ConditionDraft[]>([]);

  /** The conditions that go with the answer; null where one of them is not whole. */
  get when(): Condition[] | null {
    if (this.scope === "once") return [];
    const whole = this.conditions.map(conditionOf);
    return whole.every((condition) => condition !== null) ? whole : null;
  }
  /** Whether the answer is for every other question that asks exactly the same. */
  also = $state(false);

  constructor(card: Question, check: Check) {
    const question = contentOf(card);
    this.scope = question.scopes[0] ?? "once";
    if (question.about.kind === "call_tool") {
      const { tool, arguments: given, last_arguments } = question.about;
      this.arguments = new ArgumentsDraft(inputSchema(tool.definition), given, last_arguments);
    } else if (question.about.kind === "sample_prompt") this.prompt = new PromptDraft(question.about);
    else if (question.about.kind === "sample_reply") this.reply = new ReplyDraft(question.about);
    else if (question.about.kind === "share_folders") this.folders = new FoldersDraft(question.about);
    else if (question.about.kind === "fill_form") this.answers = new FormAnswers(question.about, check);
  }

  /** What the person changed on the card; null where it is as it was shown. */
  get changed(): Record<string, unknown> | null {
    const draft = this.arguments ?? this.prompt ?? this.reply ?? this.folders;
    return draft?.edited ? { ...draft.value } : null;
  }
}

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

  #picked = $state<QuestionId | null>(null);
  readonly #host: ConsentHost;
  readonly #drafts = new SvelteMap<QuestionId, CardDraft>();
  #answered: QuestionId | null = null;
  #farewell: ReturnType<typeof setTimeout> | undefined;

  question = $derived.by(() => this.questions.find(({ id }) => id === this.#picked) ?? this.questions[0]);

  constructor(host: ConsentHost) {
    this.#host = host;
  }

  async open(): Promise<void> {
    try {
      await this.#host.open((message) => this.#hear(message));
    } catch (error) {
      this.trouble = troubleOf(error);
    }
  }

  /** What the person has done on this card; there is a draft for every question from the moment it arrives. */
  draftOf(question: Question): CardDraft {
    return this.#drafts.get(question.id) ?? this.#draft(question);
  }

  #draft(question: Question): CardDraft {
    return new CardDraft(question, (content) => this.#host.check(question.id, content));
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
    } finally {
      this.answering = false;
    }
  }

  #hear(message: InboxMessage): void {
    switch (message.message) {
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
      default:
        message satisfies never;
    }
  }

  #replace(questions: Question[]): void {
    const before = this.question;
    for (const question of questions) {
      const known = this.questions.find(({ id }) => id === question.id);
      // What stands behind the card of a flood can become something else while it is looked at.
      if (!known || contents(known) !== contents(question)) this.#drafts.set(question.id, this.#draft(question));
    }
    this.questions = questions;
    for (const id of this.#drafts.keys()) {
      if (!questions.some((question) => question.id === id)) this.#drafts.delete(id);
    }
    if (!before) {
      this.guard.reset();
      this.left = null;
      return;
    }
    if (questions.some(({ id }) => id === before.id)) return;
    this.guard.reset();
    this.trouble = null;
    this.#picked = null;
    // A flood takes questions that nobody has looked at behind its card; they are not gone.
    const taken = questions.find(({ about, server }) => about.kind === "flood" && server.id === before.server.id);
    if (taken) this.#picked = taken.id;
    else if (before.id !== this.#answered) this.#sayGoodbye(before);
  }

  #sayGoodbye(question: Question): void {
    this.left = question;
    clearTimeout(this.#farewell);
    this.#farewell = setTimeout(() => {
      if (this.left === question) this.left = null;
    }, FAREWELL_MS);
  }
}

/** What a draft was made from; the same for a card that only moved on. */
function contents(question: Question): string {
  return question.about.kind === "flood" ? JSON.stringify(question.about.alike) : question.id;
}

function inputSchema(definition: unknown): unknown {
  return typeof definition === "object" && definition !== null && "inputSchema" in definition
    ? definition.inputSchema
    : {};
}
