// The servers of configurations that the user picks to add: which are ticked, under which names, with which values.
// Pasted configurations and those of other applications share it.
import { troubleOf, type Trouble } from "../../host";
import type { ParsedServer, ServerDraft, ServerId } from "../../host/bindings";
import type { Projection } from "../../state/projection.svelte";
import { filledIn, isComplete, type Entered } from "./fills";

/** A server of a configuration that can be added. */
export interface Candidate {
  /** Unique among those that are shown together. */
  key: string;
  server: ParsedServer;
  /** Whether it is ticked unless the user decides otherwise. */
  chosen: boolean;
}

export class ServerPicks {
  readonly #projection: Projection;
  #candidates = $state.raw<Candidate[]>([]);
  #ticks = $state<Record<string, boolean>>({});
  #names = $state<Record<string, string>>({});
  #entered = $state<Record<string, Entered>>({});
  /** Names that look like those of servers, which the host alone can tell. */
  #alike = $state.raw<readonly string[]>([]);
  adding = $state(false);
  failed = $state.raw<{ name: string; trouble: Trouble }[]>([]);

  constructor(projection: Projection) {
    this.#projection = projection;
  }

  /** Shows other servers, of which nothing is decided yet. */
  show(candidates: Candidate[]): void {
    this.#ticks = {};
    this.#names = {};
    this.#entered = {};
    this.showAgain(candidates);
  }

  /** Shows servers that were read again. What was decided of those with the same keys stays. */
  showAgain(candidates: Candidate[]): void {
    this.#candidates = candidates;
    this.#alike = [];
    this.failed = [];
  }

  /** Whether some servers can be left out. */
  get hasChoice(): boolean {
    return this.#candidates.length > 1 || this.#candidates.some(({ chosen }) => !chosen);
  }

  isTicked({ key, chosen }: Candidate): boolean {
    return this.#ticks[key] ?? chosen;
  }

  tick({ key }: Candidate, ticked: boolean): void {
    this.#ticks[key] = ticked;
  }

  nameOf({ key, server }: Candidate): string {
    return this.#names[key] ?? server.draft.name;
  }

  rename({ key }: Candidate, name: string): void {
    this.#names[key] = name;
  }

  entered({ key }: Candidate): Entered {
    return this.#entered[key] ?? {};
  }

  enter({ key }: Candidate, name: string, value: string): void {
    this.#entered[key] = { ...this.#entered[key], [name]: value };
  }

  /** Whether a server that is added, or one further up that will be, has this name, or one that looks the same. */
  isTaken(candidate: Candidate, name = this.nameOf(candidate)): boolean {
    const wanted = name.trim();
    if (this.#alike.includes(wanted) || this.#projection.servers.some((known) => known.name === wanted)) return true;
    const before = this.#candidates.slice(0, this.#candidates.indexOf(candidate));
    return before.some((other) => this.isTicked(other) && this.nameOf(other).trim() === wanted);
  }

  /** Whether the user has to give it another name, or has done so. */
  isRenamed(candidate: Candidate): boolean {
    const { name } = candidate.server.draft;
    return this.isTicked(candidate) && (this.nameOf(candidate) !== name || this.isTaken(candidate, name));
  }

  readonly #ready: Candidate[] = $derived.by(() =>
    this.#candidates.filter((candidate) => this.isTicked(candidate) && this.#isReady(candidate)),
  );

  /** How many are ticked that cannot be added yet: a value is missing, or the name is taken. */
  readonly unfinished: number = $derived(
    this.#candidates.filter((candidate) => this.isTicked(candidate)).length - this.#ready.length,
  );

  /** What would be added now. */
  readonly fresh: ServerDraft[] = $derived(this.#ready.map((candidate) => this.#draftOf(candidate)));

  #draftOf(candidate: Candidate): ServerDraft {
    return { ...filledIn(candidate.server, this.entered(candidate)), name: this.nameOf(candidate) };
  }

  #isReady(candidate: Candidate): boolean {
    const named = this.nameOf(candidate).trim() !== "" && !this.isTaken(candidate);
    return named && isComplete(candidate.server.fills, this.entered(candidate));
  }

  /**
   * Adds what is picked, one after the other, and takes its tick away, so that a second try adds only the others.
   * Gives back their ids; nothing where one could not be added.
   */
  async add(): Promise<ServerId[]> {
    this.adding = true;
    this.failed = [];
    const added: ServerId[] = [];
    for (const candidate of this.#ready) {
      const draft = this.#draftOf(candidate);
      // The server may be in the list before its id is here. With its tick, the name would be taken by itself.
      this.tick(candidate, false);
      try {
        const made = await this.#projection.host.serverAdd(draft);
        this.#projection.expect(made);
        added.push(made);
      } catch (error) {
        this.tick(candidate, true);
        const trouble = troubleOf(error);
        if (trouble.problem === "name_alike") this.#alike = [...this.#alike, draft.name.trim()];
        this.failed = [...this.failed, { name: draft.name, trouble }];
      }
    }
    this.adding = false;
    return this.failed.length > 0 ? [] : added;
  }
}
