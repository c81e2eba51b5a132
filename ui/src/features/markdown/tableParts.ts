// What the head of a table and the parts of its rows have in common.

/** The display of a long table ends its meaning for screen readers, so roles say what each element is. */
export const ROLES = { table: "table", group: "rowgroup", row: "row", head: "columnheader", cell: "cell" } as const;

/** The width of a column as CSS has it; empty where the table decides. `widths` are in pixels. */
export function widthOf(widths: readonly number[] | null, index: number): string {
  const width = widths?.[index];
  return width === undefined ? "" : `${width}px`;
}
