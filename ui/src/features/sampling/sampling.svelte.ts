// What a server wants to send to a model, and what a model said, while the user looks at it: what it was, what it is
// now, and what has been opened. Only words can be changed; pictures and calls are shown as they are.
import { SvelteSet } from "svelte/reactivity";
import type {
  PromptEdit,
  ReplyEdit,
  SampleBlock,
  SampleMessage,
  SamplePrompt,
  SampleReply,
  SampleTool,
} from "../../host/bindings";
import { jsonBeginning } from "../call/JsonView.svelte";
import { isLong } from "../schema/arguments.svelte";
import { same } from "../schema/values";

/** Where a text stands: message, block, and the block inside a tool's result. */
export type Spot = readonly number[];

/** A text and where it stands. */
interface TextAt {
  at: Spot;
  text: string;
}

/** What was changed in the text for the model. */
interface EnteredPrompt {
  system: string | null;
  model: string;
  max_tokens: number | null;
  texts: TextAt[];
}

/** The name of the instructions among the spots. */
export const SYSTEM: Spot = [];

/** The name of the server's tools among the spots. */
export const TOOLS: Spot = [-1];

/** What both cards of sampling share: whatever is sent and not shown at once waits to be opened. */
class Unopened {
  readonly #gates: string[];
  readonly #revealed = new SvelteSet<string>();

  constructor(messages: SampleMessage[], system: string | null, tools: SampleTool[]) {
    const spots = messages.flatMap((message, index) => closedBlocks(message.blocks, [index]));
    if (system !== null && isLong(system)) spots.unshift(SYSTEM);
    if (tools.length > 0) spots.push(TOOLS);
    this.#gates = spots.map(keyOf);
  }

  /** How many of them were not opened yet. */
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
  readonly unopened: Unopened;
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
    this.unopened = new Unopened(prompt.messages, prompt.system, prompt.tools);
    this.value = $state.raw(this.first);
  }

  set(change: Partial<PromptEdit>): void {
    this.value = { ...this.value, ...change };
  }

  write(at: Spot, text: string): void {
    this.set({ messages: written(this.value.messages, at, text) });
  }

  undo(): void {
    this.value = { ...this.first, model: this.value.model };
  }

  get changed(): Record<string, unknown> | null {
    return this.edited ? { ...this.value } : null;
  }

  get entered(): EnteredPrompt | null {
    if (!this.edited) return null;
    const { system, model, max_tokens } = this.value;
    return { system, model, max_tokens, texts: changedTexts(this.first.messages, this.value.messages) };
  }

  restore(entered: unknown): void {
    const { texts, max_tokens, ...rest } = entered as EnteredPrompt;
    // A ceiling that is no number has no form of its own in JSON.
    this.set({ ...rest, max_tokens: max_tokens ?? NaN });
    for (const { at, text } of texts) this.write(at, text);
  }
}

export class ReplyDraft {
  readonly first: ReplyEdit;
  readonly unopened: Unopened;
  value: ReplyEdit;
  edited = $derived.by(() => !same(this.value, this.first));

  constructor(reply: SampleReply) {
    this.first = { blocks: reply.blocks };
    this.unopened = new Unopened([said(this.first)], null, []);
    this.value = $state.raw(this.first);
  }

  write(at: Spot, text: string): void {
    const [message] = written([said(this.value)], at, text);
    if (message) this.value = { blocks: message.blocks };
  }

  undo(): void {
    this.value = this.first;
  }

  get changed(): Record<string, unknown> | null {
    return this.edited ? { ...this.value } : null;
  }

  get entered(): TextAt[] | null {
    return this.edited ? changedTexts([said(this.first)], [said(this.value)]) : null;
  }

  restore(entered: unknown): void {
    for (const { at, text } of entered as TextAt[]) this.write(at, text);
  }
}

function said({ blocks }: ReplyEdit): SampleMessage {
  return { role: "assistant", blocks };
}

/** The texts that are others than they were; everything else about a conversation stays. */
function changedTexts(first: SampleMessage[], now: SampleMessage[]): TextAt[] {
  const before = textsOf(first);
  return textsOf(now).filter(({ text }, index) => text !== before[index]?.text);
}

/** The blocks that are not shown at once, or not whole. */
function closedBlocks(blocks: SampleBlock[], at: Spot): Spot[] {
  return blocks.flatMap((block, index): Spot[] => {
    const here = [...at, index];
    switch (block.block) {
      case "text":
        return isLong(block.text) ? [here] : [];
      case "image":
      case "audio":
        return [here];
      case "tool_use":
        return jsonBeginning(block.input) === null ? [] : [here];
      case "tool_result": {
        const isFolded = block.structured !== null && jsonBeginning(block.structured) !== null;
        return [...closedBlocks(block.blocks, here), ...(isFolded ? [here] : [])];
      }
      default:
        return block satisfies never;
    }
  });
}

function textsOf(messages: SampleMessage[]): TextAt[] {
  const inside = (blocks: SampleBlock[], at: Spot): TextAt[] =>
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
