import type { NearParts } from "./nearParts";

/** Some blocks of a text, items of a long list or rows of a long table, which are drawn together. */
export class Part {
  /** Whether its content is drawn. */
  drawn = $state(true);
  /** The height that it keeps while it is empty, as CSS has it. */
  height = $state<string>();
  readonly #parts: NearParts | undefined;

  constructor(parts: NearParts | undefined) {
    this.#parts = parts;
  }

  /** Has the element of the part watched; for `{@attach}`. */
  readonly attach = (element: Element): (() => void) | undefined => this.#parts?.watch(element, this);
}
