// What a server wants a model to be told, and what a model said, while the person looks at it: what it was, what it is
// now, and which long texts have been looked at. Only words can be changed; pictures and calls are shown as they are.
import { SvelteSet } from "svelte/reactivity";
import type { PromptEdit, ReplyEdit, SampleBlock, SampleMessage, SamplePrompt, SampleReply } from "../../host/bindings";
import { isLong } from "../schema/arguments.svelte";
import { same } from "../schema/values";

/** Where a text stands: message, block, and the block inside a tool's result. */
export type Spot = readonly number[];

/** The name of the instructions among the spots. */
export const SYSTEM: Spot = [];

/** What both cards of sampling share: long texts wait to be opened. */
class Texts {
  readonly #gates: string[];
  readonly #revealed = new SvelteSet<string>();

  constructor(messages: SampleMessage[], system: string | null) {
    const long = textsOf(messages).filter(({ text }) => isLong(text));
    this.#gates = [...(system !== null && isLong(system) ? [keyOf(SYSTEM)] : []), ...long.map(({ at }) => keyOf(at))];
  }

  /** How many long texts nobody has opened yet. */
  get unseen(): number {
    return this.#gates.filter((key) => !this.#revealed.has(key)).length;
  }

  closed(at: Spot): boolean {
    const key = keyOf(at);
    return this.#gates.includes(key) && !this.#revealed.has(key);
  }

  reveal(at: Spot): void {
    this.#revealed.add(keyOf(at));
  }
}

export class PromptDraft {
  readonly first: PromptEdit;
  readonly texts: Texts;
  value: PromptEdit;
  edited = $derived.by(() => !same(this.value, this.first));
  /** Whether the ceiling is one the host takes. */
  fit = $derived.by(
    () =>
      Number.isInteger(this.value.max_tokens) &&
      this.value.max_tokens >= 1 &&
      this.value.max_tokens <= this.first.max_tokens,
  );

  constructor(prompt: SamplePrompt) {
    this.first = {
      system: prompt.system,
      messages: prompt.messages,
      model: prompt.picked,
      max_tokens: prompt.max_tokens,
    };
    this.texts = new Texts(prompt.messages, prompt.system);
    this.value = $state.raw(this.first);
  }

  set(change: Partial<PromptEdit>): void {
    this.value = { ...this.value, ...change };
  }

  write(at: Spot, text: string): void {
    this.set({ messages: written(this.value.messages, at, text) });
  }

  restore(): void {
    this.value = { ...this.first, model: this.value.model };
  }
}

export class ReplyDraft {
  readonly first: ReplyEdit;
  readonly texts: Texts;
  value: ReplyEdit;
  edited = $derived.by(() => !same(this.value, this.first));

  constructor(reply: SampleReply) {
    this.first = { blocks: reply.blocks };
    this.texts = new Texts([{ role: "assistant", blocks: reply.blocks }], null);
    this.value = $state.raw(this.first);
  }

  write(at: Spot, text: string): void {
    const [message] = written([{ role: "assistant", blocks: this.value.blocks }], at, text);
    if (message) this.value = { blocks: message.blocks };
  }

  restore(): void {
    this.value = this.first;
  }
}

function textsOf(messages: SampleMessage[]): { at: Spot; text: string }[] {
  const inside = (blocks: SampleBlock[], at: Spot): { at: Spot; text: string }[] =>
    blocks.flatMap((block, index) => {
      const here = [...at, index];
      if (block.block === "text") return [{ at: here, text: block.text }];
      return block.block === "tool_result" ? inside(block.blocks, here) : [];
    });
  return messages.flatMap((message, index) => inside(message.blocks, [index]));
}

function written(messages: SampleMessage[], [first = 0, ...rest]: Spot, text: string): SampleMessage[] {
  const inside = (blocks: SampleBlock[], [index = 0, ...deeper]: Spot): SampleBlock[] =>
    blocks.map((block, place) => {
      if (place !== index) return block;
      if (block.block === "text") return { ...block, text };
      return block.block === "tool_result" ? { ...block, blocks: inside(block.blocks, deeper) } : block;
    });
  return messages.map((message, place) =>
    place === first ? { ...message, blocks: inside(message.blocks, rest) } : message,
  );
}

function keyOf(at: Spot): string {
  return at.join(".");
}
