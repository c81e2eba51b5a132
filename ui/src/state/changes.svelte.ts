// Changes of the main window that let more happen than today: they are asked in the consent window. Until the answer
// the window says that it waits, then how it ended.
import type { ChangeEnd, ChangeOutcome, QuestionId } from "../host/bindings";
import type { Notices } from "./notices.svelte";
import type { Projection } from "./projection.svelte";

/** How long a change that was made is said, in milliseconds. */
const SAID = 6000;

export interface Change {
  question: QuestionId;
  state: "waiting" | "done" | "refused" | "outdated";
  /** Whether it is no longer said. It keeps its place until `settle`, so that nothing moves under the pointer. */
  faded: boolean;
}

export class Changes {
  list = $state.raw<Change[]>([]);
  readonly #projection: Projection;
  readonly #notices: Notices;

  constructor(projection: Projection, notices: Notices) {
    this.#projection = projection;
    this.#notices = notices;
  }

  /** Makes a change, which may be asked first; a failure becomes a notice. Resolves to whether it was made. */
  async make(act: () => Promise<ChangeOutcome>): Promise<boolean> {
    let outcome: ChangeOutcome | undefined;
    await this.#notices.attempt(async () => {
      outcome = await act();
    });
    return outcome !== undefined && (await this.ends(outcome));
  }

  /** Waits for the answer where the change is asked. Resolves to whether it was made. */
  async ends(outcome: ChangeOutcome): Promise<boolean> {
    if (outcome.change === "done") return true;
    const { question } = outcome;
    this.#put({ question, state: "waiting", faded: false });
    const end = await this.#projection.changeEnds.of(question);
    this.dismiss(question);
    this.#say(question, end);
    return end?.end === "done";
  }

  /** Has the user asked about something that is not kept, such as a page to open. Only a failure is said. */
  async once(act: () => Promise<ChangeOutcome>): Promise<void> {
    await this.#notices.attempt(async () => {
      const outcome = await act();
      const end = outcome.change === "asked" ? await this.#projection.changeEnds.of(outcome.question) : null;
      if (end?.end === "failed") this.#notices.say(end.problem);
    });
  }

  dismiss(question: QuestionId): void {
    this.list = this.list.filter((change) => change.question !== question);
  }

  /** Gives back the place of what is no longer said. */
  settle(): void {
    if (this.list.some(({ faded }) => faded)) this.list = this.list.filter(({ faded }) => !faded);
  }

  #say(question: QuestionId, end: ChangeEnd | null): void {
    if (end === null) return;
    if (end.end === "failed") this.#notices.say(end.problem);
    else this.#put({ question, state: end.end, faded: false });
    if (end.end === "done") setTimeout(() => this.#fade(question), SAID);
  }

  #fade(question: QuestionId): void {
    this.list = this.list.map((change) => (change.question === question ? { ...change, faded: true } : change));
  }

  #put(change: Change): void {
    this.settle();
    this.list = [...this.list.slice(-4), change];
  }
}
