// Colours code with the CSS Custom Highlight API. The words stay the text that they are: no element is made of what a
// parser said, and a browser without the interface shows the code in one colour. Only what is in sight is coloured: for
// each line that it draws, WebKit looks at every range of the window.
import { tokensOf, type CodeKind, type CodeToken } from "./tokens";

/** Longer code is not coloured, in UTF-16 units. */
const MOST_CODE = 60_000;
/** Code is coloured when it has not changed for so long, in milliseconds; a block that grows is not coloured. */
const SETTLED = 250;
/** How long the window is kept busy at a time, in milliseconds. */
const SLICE = 6;
/** Marks of found words lie above the colours. */
const BELOW_FOUND = -1;

/**
 * Colours the code in an element when it has settled, which is when it is asked for; the function that comes back takes
 * the colours away.
 */
export function paintSettled(element: HTMLElement, code: () => string, language: string): () => void {
  const task = new Painting(element, code, language);
  return () => task.end();
}

class Painting {
  readonly #element: HTMLElement;
  #code = "";
  /** Up to where the code was read. */
  #readTo = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #observer: IntersectionObserver | undefined;
  #ended = false;
  #nodes: readonly TextNode[] = [];
  #lines: Iterator<CodeToken[]> | null = null;
  /** The indices of the nodes that are in sight. */
  readonly #seen = new Set<number>();
  /** What is coloured, by the index of its node. */
  readonly #painted = new Map<number, [Highlight, StaticRange][]>();

  constructor(element: HTMLElement, code: () => string, language: string) {
    this.#element = element;
    if (language === "" || !canPaint()) return;
    this.#timer = setTimeout(() => void this.#begin(code(), language), SETTLED);
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#observer?.disconnect();
    for (const index of this.#painted.keys()) this.#clear(index, () => false);
  }

  async #begin(code: string, language: string): Promise<void> {
    if (code.length > MOST_CODE) return;
    this.#code = code;
    const { parserOf } = await import("./languages");
    const parser = parserOf(language);
    const nodes = textNodes(this.#element, this.#code);
    if (!parser || !nodes || this.#ended) return;
    this.#nodes = nodes;
    this.#lines = tokensOf(parser, this.#code);
    const indices = new Map(nodes.map(({ text }, index) => [text.parentElement as Element, index]));
    this.#observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const index = indices.get(target) as number;
        if (isIntersecting) this.#seen.add(index);
        else this.#seen.delete(index);
      }
      clearTimeout(this.#timer);
      this.#continue();
    });
    for (const element of indices.keys()) this.#observer.observe(element);
  }

  /** Reads the code as far as it is in sight, and colours what is and nothing else, a little at a time. */
  #continue(): void {
    const until = performance.now() + SLICE;
    const isOver = () => performance.now() >= until;
    for (const index of this.#painted.keys()) {
      if (!this.#seen.has(index) && !this.#clear(index, isOver)) return this.#later();
    }
    if (this.#seen.size === 0) return;
    const end = this.#nodes[Math.max(...this.#seen) + 1]?.from ?? Infinity;
    while (this.#lines && this.#readTo < end) {
      this.#read(this.#lines);
      if (isOver()) return this.#later();
    }
    for (const index of this.#seen) {
      for (const node = this.#nodes[index]; node && node.painted < node.tokens.length; node.painted += 1) {
        if (isOver()) return this.#later();
        this.#paint(index, node, node.tokens[node.painted] as CodeToken);
      }
    }
  }

  #later(): void {
    this.#timer = setTimeout(() => this.#continue());
  }

  /** Reads one line. */
  #read(lines: Iterator<CodeToken[]>): void {
    const line = lines.next();
    this.#readTo = this.#code.indexOf("\n", this.#readTo) + 1 || Infinity;
    if (line.done === true) this.#lines = null;
    else for (const token of line.value) this.#nodeAt(token.from)?.tokens.push(token);
  }

  #nodeAt(place: number): TextNode | undefined {
    return this.#nodes.findLast((it) => it.from <= place);
  }

  #paint(index: number, node: TextNode, { from, to, kind }: CodeToken): void {
    const [startOffset, endOffset] = [from - node.from, to - node.from];
    const range = new StaticRange({ startContainer: node.text, startOffset, endContainer: node.text, endOffset });
    const highlight = highlightOf(kind);
    highlight.add(range);
    const painted = this.#painted.get(index);
    if (painted) painted.push([highlight, range]);
    else this.#painted.set(index, [[highlight, range]]);
  }

  /** Takes the colours of a node away; whether that was done before the time was over. */
  #clear(index: number, isOver: () => boolean): boolean {
    const painted = this.#painted.get(index) ?? [];
    for (let last = painted.pop(); last; last = painted.pop()) {
      const [highlight, range] = last;
      highlight.delete(range);
      if (isOver()) return false;
    }
    this.#painted.delete(index);
    const node = this.#nodes[index];
    if (node) node.painted = 0;
    return true;
  }
}

const canPaint = (): boolean => "highlights" in CSS;

/** The highlight of all code of one kind in the window. */
function highlightOf(kind: CodeKind): Highlight {
  const name = `code-${kind}`;
  let highlight = CSS.highlights.get(name);
  if (!highlight) {
    highlight = new Highlight();
    highlight.priority = BELOW_FOUND;
    CSS.highlights.set(name, highlight);
  }
  return highlight;
}

/** A text node, where in the code it begins, what was read of it, and how much of that is coloured. */
interface TextNode {
  text: Text;
  from: number;
  tokens: CodeToken[];
  painted: number;
}

/** The text nodes of drawn code. Null where they are not the code to the letter, as with characters that are escaped. */
function textNodes(element: HTMLElement, code: string): TextNode[] | null {
  const found: TextNode[] = [];
  let from = 0;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node as Text;
    if (!code.startsWith(text.data, from)) return null;
    if (text.data !== "") found.push({ text, from, tokens: [], painted: 0 });
    from += text.data.length;
  }
  return from === code.length ? found : null;
}
