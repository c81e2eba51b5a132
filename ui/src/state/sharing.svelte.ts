// A folder of the user for one server in one go: picked in the system's dialog, then asked about in the consent window.
import type { ServerId } from "../host/bindings";
import type { Notices } from "./notices.svelte";
import type { Projection } from "./projection.svelte";

export class Sharing {
  readonly #projection: Projection;
  readonly #notices: Notices;

  constructor(projection: Projection, notices: Notices) {
    this.#projection = projection;
    this.#notices = notices;
  }

  /** Lets the user pick a folder for the first workspace, then asks which folders the server may know of. */
  async choose(server: ServerId): Promise<void> {
    const { host, workspaces } = this.#projection;
    const [home] = workspaces;
    if (!home) return;
    await this.#notices.attempt(async () => {
      if ((await host.folderChoose(home.id)) !== null) await host.foldersShare(server);
    });
  }
}
