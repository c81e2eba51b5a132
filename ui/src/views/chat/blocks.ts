// Entries of a chat as blocks: calls that follow each other are one block, which can be folded once all of them ended.
import { isOpen } from "../../features/call/openChoice";
import type { EntryBody, EntryId } from "../../host/bindings";

interface Entry {
  id: EntryId;
  body: EntryBody;
}

export interface Block<Cell extends Entry> {
  /** The id of its first entry. */
  id: EntryId;
  cells: Cell[];
}

/** How many calls make a block of their own. */
const CALLS = 3;

/** The blocks of entries. An answer without words between two calls does not part them. */
export function blocksOf<Cell extends Entry>(cells: readonly Cell[], isSilent: (cell: Cell) => boolean): Block<Cell>[] {
  const blocks: Block<Cell>[] = [];
  let run: Cell[] = [];
  const end = () => {
    const calls = run.filter(({ body }) => body.kind === "call").length;
    const parts = calls >= CALLS ? [run] : run.map((cell) => [cell]);
    for (const part of parts) if (part[0]) blocks.push({ id: part[0].id, cells: part });
    run = [];
  };
  for (const cell of cells) {
    if (cell.body.kind === "call" || cell.body.kind === "built_in_call" || (run.length > 0 && isSilent(cell)))
      run.push(cell);
    else {
      end();
      blocks.push({ id: cell.id, cells: [cell] });
    }
  }
  end();
  return blocks;
}

/** How the calls of a block ended; null while one of them goes on or waits for a choice about its result. */
export function endsOf(bodies: readonly EntryBody[]): { calls: number; failed: number; denied: number } | null {
  const ends = { calls: 0, failed: 0, denied: 0 };
  for (const body of bodies) {
    if (body.kind !== "call") continue;
    ends.calls += 1;
    if (["deciding", "waiting", "running", "task"].includes(body.state) || isOpen(body)) return null;
    if (body.state === "refused") ends.denied += 1;
    else if (body.state !== "answered" || body.result.failed) ends.failed += 1;
  }
  return ends;
}
