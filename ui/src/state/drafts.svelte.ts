// What is written but not sent, per chat. It survives a reload of the window, and a message that could not be sent comes
// back here.
import { SvelteMap } from "svelte/reactivity";
import type { ChatId } from "../host/bindings";

const KEY = "vestibule.drafts";
const NEW = "new";

export class Drafts {
  readonly #texts = new SvelteMap<string, string>(kept());

  of(chat: ChatId | null): string {
    return this.#texts.get(chat ?? NEW) ?? "";
  }

  write(chat: ChatId | null, text: string): void {
    if (text === "") this.#texts.delete(chat ?? NEW);
    else this.#texts.set(chat ?? NEW, text);
    try {
      sessionStorage.setItem(KEY, JSON.stringify([...this.#texts]));
    } catch {
      // A draft too large to be kept for a reload still stands in its field.
    }
  }
}

function kept(): [string, string][] {
  try {
    const read: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(read) ? (read as [string, string][]) : [];
  } catch {
    return [];
  }
}
