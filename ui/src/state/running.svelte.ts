// Stop everything, and the way back from it: the servers that ran then can be started again with one press.
import type { ServerId, ServerView } from "../host/bindings";
import type { Notices } from "./notices.svelte";
import type { Projection } from "./projection.svelte";

/** How long it is said that everything stopped where there is no way back, in milliseconds. */
const SAID = 4000;

export class Running {
  /** Whether everything was stopped just now, until the user has gone on. */
  stopped = $state(false);
  /** Whether that is no longer said. The note keeps its place until `settle`, so that nothing moves under the pointer. */
  faded = $state(false);
  #fading: ReturnType<typeof setTimeout> | undefined;
  /** The servers that ran when everything was stopped. */
  #before = $state.raw<ServerId[]>([]);
  readonly #projection: Projection;
  readonly #notices: Notices;

  constructor(projection: Projection, notices: Notices) {
    this.#projection = projection;
    this.#notices = notices;
  }

  /** Those of them that are still stopped. */
  get before(): ServerId[] {
    return this.#before.filter((id) => {
      const server = this.#projection.server(id);
      return server !== undefined && (!isRunning(server) || server.state.state === "stopping");
    });
  }

  async stopEverything(): Promise<void> {
    const ran = this.#projection.servers.filter(isRunning).map(({ id }) => id);
    if (!(await this.#notices.attempt(() => this.#projection.host.stopEverything()))) return;
    this.dismiss();
    this.#before = ran;
    this.stopped = true;
    if (ran.length === 0) this.#fading = setTimeout(() => (this.faded = true), SAID);
  }

  /** Starts them again; each is asked about as any other start. */
  async startAgain(): Promise<void> {
    const { before } = this;
    this.dismiss();
    await this.start(before);
  }

  /** Starts servers one after the other, so that their cards stand in this order. */
  async start(servers: readonly ServerId[]): Promise<void> {
    for (const server of servers) await this.#notices.attempt(() => this.#projection.host.serverStart(server));
  }

  dismiss(): void {
    clearTimeout(this.#fading);
    this.stopped = false;
    this.faded = false;
    this.#before = [];
  }

  /** Gives back the place of what is no longer said. */
  settle(): void {
    if (this.faded) this.dismiss();
  }
}

/** Whether a server is down and does not come back by itself. */
export function isDown({ state }: ServerView): boolean {
  return ["stopped", "not_started", "failed"].includes(state.state);
}

/** Whether there is something to stop. */
export function isRunning(server: ServerView): boolean {
  return !isDown(server) && server.state.state !== "stopping";
}
