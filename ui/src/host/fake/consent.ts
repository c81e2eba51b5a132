// The fake inbox. The scene names the card; what is answered can be read from `window.fake.replies`.
import type { ConsentHost } from "../commands";
import type { Asking, InboxMessage, SavedInput, FieldError, MutedView, Problem, Reply } from "../bindings";
import { scene, settings } from "./data";
import { ENTERED, misfit } from "./questions/forms";
import { CALL } from "./questions/tools";
import { Messages } from "./messages";
import { SCENES, question } from "./scenes";

const AN_HOUR = 3_600_000;

export function fakeConsent(): ConsentHost {
  const fake = new FakeConsent();
  Object.assign(window, { fake });
  return fake;
}

class FakeConsent implements ConsentHost {
  questions = (SCENES[scene()] ?? (() => [question("q-delete", CALL, { scopes: ["once", "chat"] })]))();
  muted: MutedView[] =
    scene() === "often"
      ? [
          { server: "s-notes", name: "notes", asking: "sampling", until_ms: null },
          { server: "s-payroll", name: "payroll", asking: "page", until_ms: Date.UTC(2026, 10, 21, 12, 30) },
        ]
      : [];
  kept: SavedInput[] =
    scene() === "restored" ? [{ question: "q-restored", nonce: "nonce-q-restored", entered: ENTERED }] : [];
  replies: Reply[] = [];
  /** How often the window was hidden. */
  hidden = 0;
  presented: string[] = [];
  /** Whether guards last until they are let go, so that a test may take its time. */
  #held = new URLSearchParams(location.search).get("guard") === "held";
  /** What the next answer is refused with, for tests. */
  refusal: Problem | null = null;
  readonly #messages = new Messages<InboxMessage>();

  open(): Promise<void> {
    this.#messages.begin();
    setTimeout(() => {
      if (this.kept.length > 0) this.#hear({ message: "kept", kept: this.kept });
      this.tell();
    }, 10);
    return Promise.resolve();
  }

  messages(): Promise<InboxMessage[]> {
    return this.#messages.next();
  }

  keep(id: string, nonce: string, entered: SavedInput["entered"] | null): Promise<void> {
    this.kept = this.kept.filter((kept) => kept.question !== id);
    if (entered) this.kept.push({ question: id, nonce, entered });
    return Promise.resolve();
  }

  present(id: string): Promise<void> {
    this.presented.push(id);
    this.guard(id);
    return Promise.resolve();
  }

  guard(id: string): void {
    const found = this.questions.find((item) => item.id === id);
    const ms = this.#held ? AN_HOUR : found?.guard_ms;
    if (ms !== undefined) setTimeout(() => this.#hear({ message: "guard", question: id, ms }), 5);
  }

  /** Lets the guard of this card pass as usual, and those that come. */
  letGo(id: string): void {
    this.#held = false;
    this.guard(id);
  }

  /** Has guards last from now on. */
  hold(): void {
    this.#held = true;
  }

  answer(reply: Reply): Promise<void> {
    this.replies.push(reply);
    if (this.refusal) {
      const problem = this.refusal;
      this.refusal = null;
      return Promise.reject(problem);
    }
    this.withdraw(reply.question);
    return Promise.resolve();
  }

  /** The rules of the host are the host's; here only what tests need of them. */
  check(id: string, content: Record<string, unknown>): Promise<FieldError[]> {
    const found = this.questions.find((item) => item.id === id)?.about;
    const about = found?.kind === "flood" ? found.alike : found;
    const fields = about?.kind === "fill_form" ? about.fields : [];
    return Promise.resolve(fields.flatMap((field) => misfit(field, content[field.name])));
  }

  unmute(server: string, asking: Asking): Promise<void> {
    this.muted = this.muted.filter((one) => one.server !== server || one.asking !== asking);
    this.tell();
    return Promise.resolve();
  }

  hide(): Promise<void> {
    this.hidden += 1;
    this.#hear({ message: "hidden" });
    return Promise.resolve();
  }

  withdraw(id: string): void {
    this.questions = this.questions.filter((item) => item.id !== id);
    this.tell();
  }

  show(id: string): void {
    this.#hear({ message: "show", question: id });
  }

  #hear(message: InboxMessage): void {
    this.#messages.push(message);
  }

  tell(): void {
    const [questions, muted] = structuredClone([this.questions, this.muted] as const);
    this.#hear({ message: "state", questions, muted, settings: settings() });
  }
}
