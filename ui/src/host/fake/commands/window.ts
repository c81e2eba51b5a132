// Opening and closing the window, what concerns all of the application, and its settings.
import type { MainHost } from "../../commands";
import { scene } from "../data";
import { soon } from "../replies";
import type { World } from "../world";

export function windowCommands(world: World) {
  return {
    open: () => {
      world.events.begin();
      return soon({
        seq: world.lastSeq,
        chats: world.chats,
        servers: world.servers,
        connections: world.connections,
        models: world.models,
        workspaces: world.workspaces,
        settings: world.settings,
        costs: world.costs,
        secrets:
          scene() === "memory"
            ? { state: "memory_only", detail: "org.freedesktop.secrets is not provided" }
            : { state: "keychain" },
        ledger: world.head(),
        rows: world.rowsView(),
        ledger_check: scene() === "edited" ? { found: "broken", seq: 4, what: "altered" } : null,
        waiting: world.waiting,
        muted: world.muted,
        profiles: world.profiles,
        drafts: world.drafts,
        version: "0.1.0",
        data_folder: "/home/ada/.local/share/vestibule",
        log_folder: "/home/ada/.local/share/vestibule/logs",
      });
    },
    events: () => world.events.next(),
    lastEvent: () => soon({ seq: world.lastSeq }),
    questionRaise: (question) => soon(void world.raised.push(question)),
    settingsSave: (change) => {
      world.settings = { ...world.settings, ...change };
      world.tell({ event: "settings", settings: world.settings });
      return soon(undefined);
    },
    stopEverything: () => {
      for (const server of world.servers) world.putServer({ ...server, state: { state: "stopped" } });
      world.setWaiting([]);
      return soon(undefined);
    },
    windowClose: (close) => soon(void world.closed.push(close)),
  } satisfies Partial<MainHost>;
}
