// Colours code with the CSS Custom Highlight API. The words stay the text that they are: no element is made of what a
// parser said, and a browser without the interface shows the code in one colour.
import { tokensOf, type CodeKind, type CodeToken } from "./tokens";

/** Longer code is not coloured, in UTF-16 units. */
const MOST_CODE = 60_000;
/** Code is coloured when it has not changed for so long, in milliseconds; a block that grows is not coloured. */
const SETTLED = 250;
/** How long the window is kept busy at a time, in milliseconds. */
const SLICE = 6;
/** Marks of found words lie above the colours. */
const BELOW_FOUND = -1;

/** Colours the code in an element when it has settled; the function that comes back takes the colours away. */
export function paintSettled(element: HTMLElement, code: string, language: string): () => void {
  const task = new Painting(element, code, language);
  return () => task.end();
}

class Painting {
  readonly #element: HTMLElement;
  readonly #painted: [Highlight, StaticRange][] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;

  constructor(element: HTMLElement, code: string, language: string) {
    this.#element = element;
    if (language === "" || code.length > MOST_CODE || !canPaint()) return;
    this.#timer = setTimeout(() => void this.#begin(code, language), SETTLED);
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    for (const [highlight, range] of this.#painted) highlight.delete(range);
  }

  async #begin(code: string, language: string): Promise<void> {
    const { parserOf } = await import("./languages");
    const parser = parserOf(language);
    const nodes = textNodes(this.#element, code);
    if (parser && nodes && !this.#ended) this.#continue(tokensOf(parser, code), nodes);
  }

  #continue(lines: Iterator<CodeToken[]>, nodes: readonly TextNode[]): void {
    const until = performance.now() + SLICE;
    while (performance.now() < until) {
      const line = lines.next();
      if (line.done === true) return;
      for (const token of line.value) this.#paint(token, nodes);
    }
    this.#timer = setTimeout(() => this.#continue(lines, nodes));
  }

  #paint({ from, to, kind }: CodeToken, nodes: readonly TextNode[]): void {
    const node = nodes.findLast((it) => it.from <= from);
    if (!node) return;
    const [startOffset, endOffset] = [from - node.from, to - node.from];
    const range = new StaticRange({ startContainer: node.text, startOffset, endContainer: node.text, endOffset });
    const highlight = highlightOf(kind);
    highlight.add(range);
    this.#painted.push([highlight, range]);
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

/** A text node and where in the code it begins. */
interface TextNode {
  text: Text;
  from: number;
}

/** The text nodes of drawn code. Null where they are not the code to the letter, as with characters that are escaped. */
function textNodes(element: HTMLElement, code: string): TextNode[] | null {
  const found: TextNode[] = [];
  let from = 0;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node as Text;
    if (!code.startsWith(text.data, from)) return null;
    if (text.data !== "") found.push({ text, from });
    from += text.data.length;
  }
  return from === code.length ? found : null;
}
