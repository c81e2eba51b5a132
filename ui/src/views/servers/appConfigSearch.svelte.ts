// What was found in the configurations of other applications on this computer, and what the user picks of it.
import { troubleOf, type Trouble } from "../../host";
import type { AppConfigFile, AppConfigs } from "../../host/bindings";
import type { Projection } from "../../state/projection.svelte";
import { ServerPicks, type Candidate } from "./serverPicks.svelte";

export class AppConfigSearch {
  readonly #projection: Projection;
  readonly picks: ServerPicks;
  /** Null before the files were read. */
  found = $state.raw<AppConfigs | null>(null);
  /** The servers of each file. */
  candidates = $state.raw<Candidate[][]>([]);
  trouble = $state.raw<Trouble | null>(null);
  reading = $state(false);

  constructor(projection: Projection) {
    this.#projection = projection;
    this.picks = new ServerPicks(projection);
  }

  async read(): Promise<void> {
    this.reading = true;
    this.trouble = null;
    try {
      const found = await this.#projection.host.appConfigs();
      this.candidates = found.files.map(candidatesOf);
      this.picks.show(this.candidates.flat());
      this.found = found;
    } catch (error) {
      this.trouble = troubleOf(error);
    }
    this.reading = false;
  }
}

/** The servers of a file, ticked where they are new. */
function candidatesOf({ content }: AppConfigFile, file: number): Candidate[] {
  if (content.content !== "servers") return [];
  return content.parsed.servers.map((server, index) => ({
    key: `${file}/${index}`,
    server,
    chosen: server.chosen && content.comparisons[index]?.comparison === "new",
  }));
}
