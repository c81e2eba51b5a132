// Which blocks are long: those that are drawn in parts of their own, and code of many lines.
import type { Token } from "marked";
import { ITEMS } from "./itemParts";
import type { GrowingCode, GrowingList, GrowingTable } from "./openBlock";

/** A list or a table of more parts than this is a long one. */
export const FEW_PARTS = 2;
/** Code of more characters than this is long. */
const LONG_CODE = 20_000;

export function isLong(token: Token): boolean {
  const block = token as GrowingList | GrowingTable | GrowingCode;
  switch (block.type) {
    case "list":
      return block.items.length + (block.more?.length ?? 0) > FEW_PARTS * ITEMS;
    case "table":
      return block.rows.length + (block.more?.length ?? 0) > FEW_PARTS * ITEMS;
    case "code":
      return block.text.length + (block.lines ?? []).reduce((sum, { length }) => sum + length, 0) > LONG_CODE;
    default:
      return false;
  }
}
