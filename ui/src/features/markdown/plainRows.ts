// Rows of a table whose cells are nothing but words, drawn without components: a stream can bring thousands of rows, and
// the components of each take memory.
import type { Tokens } from "marked";
import type { Attachment } from "svelte/attachments";
import { plainText } from "./plainText";
import { ROLES, widthOf } from "./tableParts";

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

/** Draws rows into a part of a table. Rows that are drawn already stay. `widths` are those of the columns, in pixels. */
export function drawRows(rows: readonly PlainRow[], widths: readonly number[] | null): Attachment<HTMLElement> {
  return (part) => {
    for (const [at, row] of rows.entries()) {
      const line = childAt(part, at, "tr", ROLES.row);
      for (const [index, words] of row.cells.entries()) {
        const cell = childAt(line, index, "td", ROLES.cell);
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

/** The child at a place; a new one at the end where there is none. */
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
