// What the tools of servers take, as the servers list or listed them, for rules that speak of their arguments. Each server is
// asked for once.
import { SvelteMap } from "svelte/reactivity";
import type { ServerId } from "../../host/bindings";
import type { Projection } from "../../state/projection.svelte";

export class ToolSchemas {
  /** The schemas by name of the tool, of each server whose tools are known. */
  readonly #known = new SvelteMap<ServerId, ReadonlyMap<string, unknown>>();
  readonly #asked = new Set<ServerId>();
  readonly #projection: Projection;

  constructor(projection: Projection) {
    this.#projection = projection;
  }

  /** Reads the tools of a server, unless that was done. Without them nothing is said of arguments. */
  load(server: ServerId): void {
    if (this.#asked.has(server)) return;
    this.#asked.add(server);
    this.#projection.host.serverToolList(server).then(
      ({ tools }) => this.#known.set(server, new Map(tools.map(({ name, input_schema }) => [name, input_schema]))),
      () => this.#asked.delete(server),
    );
  }

  /** The schema of a tool; undefined where it is not known. */
  of(server: ServerId, tool: string): unknown {
    return this.#known.get(server)?.get(tool);
  }
}
