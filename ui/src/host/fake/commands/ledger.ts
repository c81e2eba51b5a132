// The ledger: its records, its check and its export.
import type { MainHost } from "../../commands";
import type { LedgerQuery, LedgerView } from "../../bindings";
import type { World } from "../world";
import { seen, signed } from "../records";
import { soon } from "../replies";
import { scene } from "../data";

export function ledgerCommands(world: World) {
  return {
    ledgerPage: (query) => {
      world.ledgerReads.push(query.before);
      const found = world.records.filter((record) => fits(world, record, query));
      const records = found.slice(0, PAGE);
      const { head, removed } = { head: world.head(), removed: world.removed };
      return soon({ records, more: found.length > PAGE, newest: world.records[0]?.seq ?? 0, head, removed });
    },
    ledgerVerify: () =>
      soon(
        scene() === "rollback"
          ? { found: "broken", seq: 4, what: "truncated" }
          : { found: "intact", records: 7, took_ms: 8, signed },
      ),
    ledgerExport: ({ words, server }) =>
      soon({
        path: "/home/ada/.local/share/vestibule/exports/ledger-2026-11-20.jsonl",
        count: words === "" && server === null ? 7 : 1,
      }),
    ledgerSeen: () => soon(seen),
    ledgerForgetServer: (id) => {
      world.removed = world.removed.filter((server) => server.id !== id);
      return soon(undefined);
    },
    ledgerAccept: () => soon(world.ask("q-ledger", () => undefined)),
  } satisfies Partial<MainHost>;
}

/** The most records of one page, as in the real host. */
const PAGE = 20;

function fits(world: World, record: LedgerView, query: LedgerQuery): boolean {
  const { before, words, kinds, server, file, host } = query;
  return (
    (before === null || record.seq < before) &&
    (words === "" || (JSON.stringify(record) + world.ownerName(record.server)).includes(words)) &&
    (kinds.length === 0 || kinds.includes(record.kind)) &&
    (server === null || record.server === server) &&
    (file ?? host ?? null) === null
  );
}
