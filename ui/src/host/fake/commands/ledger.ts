// The ledger: its records, its check and its export.
import type { MainHost } from "../../commands";
import type { World } from "../world";
import { seen, signed } from "../records";
import { soon } from "../replies";
import { scene } from "../data";

export function ledgerCommands(world: World) {
  return {
    ledgerPage: ({ words, kinds, server, file, host }) =>
      soon({
        records: world.records.filter(
          (record) =>
            (JSON.stringify(record) + world.ownerName(record.server)).includes(words) &&
            (kinds.length === 0 || kinds.includes(record.kind)) &&
            (server === null || record.server === server) &&
            (file ?? host ?? null) === null,
        ),
        more: false,
        newest: 7,
        head: world.head(),
        removed: world.removed,
      }),
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
