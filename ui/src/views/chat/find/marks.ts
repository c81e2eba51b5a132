// Marks a text in the entries that are drawn, with the CSS Custom Highlight API, so that no element is changed. The parts
// of an entry are the elements with `data-part`, named like the places that the host finds.
import type { FoundPlace } from "./find.svelte";

/** How many marks are made, and how many characters of one part are read, at most. */
const MOST_MARKS = 2_000;
const MOST_TEXT = 400_000;
/** The names of the marks in the style sheet. */
const ALL = "chat-find";
const CURRENT = "chat-find-current";
/** Text of two such elements does not belong together. */
const BLOCK = "p, li, td, th, h3, h4, h5, h6, pre, blockquote, dd, dt, div, .part";

/** Whether this browser marks text. */
const canMark = (): boolean => "highlights" in CSS;

/** Finds a text as the host does: in both cases, and with any space between two words. */
export function patternOf(text: string): RegExp | null {
  const words = text.trim().split(/\s+/).filter(Boolean);
  const escaped = words.map((word) => word.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`));
  return words.length === 0 ? null : new RegExp(escaped.join(String.raw`\s+`), "giu");
}

/** Marks a text in all entries below an element, and one place of it as the current one; says where that is. */
export function mark(root: HTMLElement, text: string, current: FoundPlace | undefined): Range | undefined {
  const pattern = patternOf(text);
  if (!pattern || !canMark()) return undefined;
  const now = current && rangesOf(root, current, pattern);
  const range = current && now?.[Math.min(current.nth, now.length - 1)];
  const all = new Highlight();
  for (const part of root.querySelectorAll("[data-entry] [data-part]")) {
    if (all.size >= MOST_MARKS) break;
    for (const found of rangesIn(part, pattern, MOST_MARKS - all.size)) all.add(found);
  }
  CSS.highlights.set(ALL, all);
  const one = range ? new Highlight(range) : new Highlight();
  one.priority = 1;
  CSS.highlights.set(CURRENT, one);
  return range;
}

export function unmark(): void {
  if (!canMark()) return;
  CSS.highlights.delete(ALL);
  CSS.highlights.delete(CURRENT);
}

function rangesOf(root: HTMLElement, { entry, place }: FoundPlace, pattern: RegExp): Range[] {
  const parts = root.querySelectorAll(`[data-entry="${CSS.escape(entry)}"] [data-part="${place}"]`);
  return [...parts].flatMap((part) => rangesIn(part, pattern, MOST_MARKS));
}

/** The places of a text in an element, over the borders of the elements of one block. */
function rangesIn(part: Element, pattern: RegExp, most: number): Range[] {
  const nodes: { node: Node; from: number }[] = [];
  let text = "";
  let block: Element | null = null;
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && text.length < MOST_TEXT; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent || parent.closest("[data-aside]")) continue;
    const its = parent.closest(BLOCK);
    if (block && its !== block) text += "\0";
    block = its;
    nodes.push({ node, from: text.length });
    text += node.nodeValue ?? "";
  }
  const found: Range[] = [];
  for (const { index, 0: words } of text.matchAll(pattern)) {
    if (found.length >= most) break;
    found.push(rangeOf(nodes, index, index + words.length));
  }
  return found;
}

function rangeOf(nodes: readonly { node: Node; from: number }[], start: number, end: number): Range {
  const range = document.createRange();
  const at = (offset: number) => nodes.findLast(({ from }) => from < offset || from === 0);
  const [first, last] = [at(start + 1), at(end)];
  if (first) range.setStart(first.node, start - first.from);
  if (last) range.setEnd(last.node, end - last.from);
  return range;
}

/** How far to scroll an element so that a place in it is in sight, with room above and below; boxes inside are scrolled. */
export function distanceTo(range: Range, scroller: HTMLElement): number {
  for (let box = range.startContainer.parentElement; box && box !== scroller; box = box.parentElement) {
    const { left, right, top, bottom } = range.getBoundingClientRect();
    const edge = box.getBoundingClientRect();
    if (box.scrollWidth > box.clientWidth && (left < edge.left || right > edge.right))
      box.scrollLeft += left - edge.left - box.clientWidth / 3;
    if (box.scrollHeight > box.clientHeight && (top < edge.top || bottom > edge.bottom))
      box.scrollTop += top - edge.top - box.clientHeight / 3;
  }
  const { top, bottom } = range.getBoundingClientRect();
  const edge = scroller.getBoundingClientRect();
  const isSeen = top >= edge.top + ROOM && bottom <= edge.bottom - ROOM;
  return isSeen ? 0 : top - edge.top - scroller.clientHeight / 3;
}

/** How near the edge of the chat a place may be, in pixels; the bar lies over the first of them. */
const ROOM = 64;
