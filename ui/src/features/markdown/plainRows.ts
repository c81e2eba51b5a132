// Rows of a table whose cells are nothing but words, drawn without a component for each of them: a stream brings
// thousands of rows, and the components of one take 15 kB in the engine.
import type { Tokens } from "marked";
import type { Attachment } from "svelte/attachments";
import { plainText } from "./plainText";

/** A row as it is drawn. */
interface PlainRow {
  cells: string[];
  align: Tokens.TableCell["align"][];
}

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

/** Draws rows into a part of a table. What is drawn already stays. `widths` are those of the columns, in pixels. */
export function drawnRows(rows: readonly PlainRow[], widths: readonly number[] | null): Attachment<HTMLElement> {
  return (part) => {
    for (const [at, row] of rows.entries()) {
      const line = childAt(part, at, "tr", "row");
      for (const [index, words] of row.cells.entries()) {
        const cell = childAt(line, index, "td", "cell");
        if (cell.textContent !== words) cell.textContent = words;
        const side = row.align[index] ?? "";
        if (cell.className !== side) cell.className = side;
        // The first row of a part sets its columns.
        if (at === 0) cell.style.width = widthOf(widths, index);
      }
      trim(line, row.cells.length);
    }
    trim(part, rows.length);
  };
}

/** The width of a column as CSS has it; empty where it is left to the table. */
export function widthOf(widths: readonly number[] | null, index: number): string {
  const width = widths?.[index];
  return width === undefined ? "" : `${width}px`;
}

function childAt(parent: HTMLElement, at: number, tag: "tr" | "td", role: string): HTMLElement {
  const there = parent.children.item(at);
  if (there instanceof HTMLElement) return there;
  const made = document.createElement(tag);
  made.setAttribute("role", role);
  parent.append(made);
  return made;
}

function trim(parent: HTMLElement, count: number): void {
  while (parent.children.length > count) parent.lastElementChild?.remove();
}
