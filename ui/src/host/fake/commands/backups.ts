// Backups: one that is written, and one that is chosen, confirmed or dropped.
import type { MainHost } from "../../commands";
import type { BackupView } from "../../bindings";
import { no, soon } from "../replies";
import type { World } from "../world";

const CHOSEN: BackupView = {
  file: "vestibule-backup-2026-11-20.db",
  bytes: 18_874_368,
  holds: { chats: 41, messages: 1_208, servers: 5, rules: 9, records: 3_077, newest_ms: Date.UTC(2026, 10, 20, 17, 4) },
  replaces: { chats: 58, messages: 2_416, servers: 6, rules: 12, records: 4_210, newest_ms: Date.UTC(2026, 10, 25, 9) },
  ledger_intact: true,
  kept_in: "/home/ada/.local/share/app.vestibule.desktop/replaced/2026-11-25T09-12-30",
  confirmed: false,
};

export function backupCommands(world: World) {
  return {
    backupWrite: () => soon({ path: "/home/ada/Documents/vestibule-backup-2026-11-25.db", bytes: 23_068_672 }),
    backupChoose: () => {
      world.chosenBackup = CHOSEN;
      return soon(CHOSEN);
    },
    backupWaiting: () => soon(world.chosenBackup),
    backupConfirm: () => {
      if (world.chosenBackup === null) return no({ problem: "gone" });
      world.chosenBackup = { ...world.chosenBackup, confirmed: true };
      return soon(world.chosenBackup);
    },
    backupDrop: () => soon(void (world.chosenBackup = null)),
  } satisfies Partial<MainHost>;
}
