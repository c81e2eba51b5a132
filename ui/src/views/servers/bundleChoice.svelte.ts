// The bundle that was opened and waits to be added: from a file, from what was dropped, or from a registry.
import { troubleOf, type Trouble } from "../../host";
import type { BundleView, ServerId } from "../../host/bindings";
import type { Projection } from "../../state/projection.svelte";

/** What is being done to open a bundle. */
type BundleWork = "reading" | "downloading";

export class BundleChoice {
  readonly #projection: Projection;
  shown = $state.raw<BundleView | null>(null);
  work = $state<BundleWork | null>(null);
  trouble = $state.raw<Trouble | null>(null);

  constructor(projection: Projection) {
    this.#projection = projection;
  }

  /** Lets the user pick a file in the system's own dialog. */
  choose(): Promise<void> {
    return this.#open("reading", () => this.#projection.host.bundleChoose());
  }

  /** Opens what was dropped on the window last. */
  takeDropped(): Promise<void> {
    return this.#open("reading", () => this.#projection.host.bundleDropped());
  }

  /** Downloads what the registry listed at an address. */
  download(address: string): Promise<void> {
    return this.#open("downloading", () => this.#projection.host.bundleDownload(address));
  }

  /** Forgets the bundle, and stops a download. */
  drop(): void {
    this.shown = null;
    this.trouble = null;
    void this.#projection.host.bundleDrop();
  }

  /** Adds the server. Nothing where it could not be added. */
  async add(name: string, values: Record<string, string[]>): Promise<ServerId | null> {
    const { shown } = this;
    if (!shown) return null;
    this.trouble = null;
    try {
      const made = await this.#projection.host.bundleAdd({ sha256: shown.sha256, name, values });
      this.#projection.expect(made);
      return made;
    } catch (error) {
      this.trouble = troubleOf(error);
      return null;
    }
  }

  async #open(work: BundleWork, opened: () => Promise<BundleView | null>): Promise<void> {
    this.work = work;
    this.trouble = null;
    try {
      this.shown = (await opened()) ?? this.shown;
    } catch (error) {
      const trouble = troubleOf(error);
      // A download that the user stopped.
      this.trouble = trouble.problem === "gone" ? null : trouble;
    } finally {
      this.work = null;
    }
  }
}
