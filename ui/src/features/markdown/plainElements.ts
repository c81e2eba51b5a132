// Rows of a table and items of a list that are nothing but words, drawn without components: a stream can bring thousands,
// and the components of each take memory.
import type { Tokens } from "marked";
import type { Attachment } from "svelte/attachments";
import { plainText } from "./plainText";
import { ROLES, widthOf } from "./tableParts";

type Tag = "tr" | "td" | "li";

/** A row as it is drawn. */
interface PlainRow {
  cells: string[];
  align: Tokens.TableCell["align"][];
}

/** How many items were drawn into a part of a list. Those of components come after them. */
const drawnItems = new WeakMap<HTMLElement, number>();

/** The rows, or null where a cell of one has more than words. */
export function plainRows(rows: readonly Tokens.TableCell[][]): PlainRow[] | null {
  const plain: PlainRow[] = [];
  for (const row of rows) {
    const cells: string[] = [];
    for (const { tokens } of row) {
      const words = plainText(tokens);
      if (words === null) return null;
      cells.push(words);
    }
    plain.push({ cells, align: row.map(({ align }) => align) });
  }
  return plain;
}

/** Draws rows into a part of a table. Rows that are drawn already stay. `widths` are those of the columns, in pixels. */
export function drawRows(rows: readonly PlainRow[], widths: readonly number[] | null): Attachment<HTMLElement> {
  return (part) => {
    for (const [at, row] of rows.entries()) {
      const line = childAt(part, at, part.children.length, "tr", ROLES.row);
      for (const [index, words] of row.cells.entries()) {
        const cell = childAt(line, index, line.children.length, "td", ROLES.cell);
        setWords(cell, words);
        const side = row.align[index] ?? "";
        if (cell.className !== side) cell.className = side;
        // The first row of a part sets its columns.
        if (at === 0) cell.style.width = widthOf(widths, index);
      }
      trim(line, row.cells.length, line.children.length);
    }
    trim(part, rows.length, part.children.length);
  };
}

/** The words of an item, or null where it has more than words. */
export function plainItem(item: Tokens.ListItem): string | null {
  return item.task ? null : plainText(item.tokens);
}

/** The words of the first items, up to the first one that has more than words. */
export function firstPlainItems(items: readonly Tokens.ListItem[]): string[] {
  const plain: string[] = [];
  for (const item of items) {
    const words = plainItem(item);
    if (words === null) break;
    plain.push(words);
  }
  return plain;
}

/** Draws items into a part of a list, before those of components. Items that are drawn already stay. */
export function drawItems(items: readonly string[]): Attachment<HTMLElement> {
  return (part) => {
    const drawn = drawnItems.get(part) ?? 0;
    for (const [at, words] of items.entries()) setWords(childAt(part, at, drawn, "li", "listitem"), words);
    trim(part, items.length, drawn);
    drawnItems.set(part, items.length);
  };
}

/** The child at a place below `drawn`, otherwise a new one at that place. */
function childAt(parent: Element, at: number, drawn: number, tag: Tag, role: string): HTMLElement {
  const there = at < drawn ? parent.children.item(at) : null;
  if (there instanceof HTMLElement) return there;
  const made = document.createElement(tag);
  made.setAttribute("role", role);
  const before = at > 0 ? parent.children.item(at - 1) : null;
  if (before) before.after(made);
  // Before the text nodes without words that components put between what they draw.
  else parent.prepend(made);
  return made;
}

/** Sets the words of an element. Its text node stays. */
function setWords(element: Element, words: string): void {
  const text = element.firstChild;
  if (!text) element.append(words);
  else if (text.nodeValue !== words) text.nodeValue = words;
}

/** Removes the children from a place on that are below `drawn`. */
function trim(parent: Element, from: number, drawn: number): void {
  for (let left = drawn; left > from; left -= 1) parent.children.item(from)?.remove();
}
