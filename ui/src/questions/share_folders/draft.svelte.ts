// Which folders the user picks on the card about sharing.
import { SvelteSet } from "svelte/reactivity";
import type { FolderPick, ShareFolders } from "../../host/bindings";
import type { BodyDraft } from "../kind";

export class FoldersDraft implements BodyDraft {
  readonly #first: string[];
  readonly #picked: SvelteSet<string>;

  constructor({ folders }: ShareFolders) {
    this.#first = folders.filter(({ picked }) => picked).map(({ path }) => path);
    this.#picked = new SvelteSet(this.#first);
  }

  get count(): number {
    return this.#picked.size;
  }

  /** What the host is given; the folders as they stand on the card. */
  get value(): FolderPick {
    return { folders: [...this.#picked].toSorted() };
  }

  get changed(): Record<string, unknown> | null {
    return this.edited ? { ...this.value } : null;
  }

  get entered(): string[] | null {
    return this.edited ? this.value.folders : null;
  }

  restore(entered: unknown): void {
    this.#picked.clear();
    for (const path of entered as string[]) this.#picked.add(path);
  }

  get edited(): boolean {
    return this.#picked.size !== this.#first.length || this.#first.some((path) => !this.#picked.has(path));
  }

  has(path: string): boolean {
    return this.#picked.has(path);
  }

  set(path: string, picked: boolean): void {
    if (picked) this.#picked.add(path);
    else this.#picked.delete(path);
  }
}
