// The fake main host, for development and browser tests. Tests reach what it knows as `fake`.
import type { MainHost } from "../commands";
import { chatCommands } from "./commands/chats";
import { backupCommands } from "./commands/backups";
import { bundleCommands } from "./commands/bundles";
import { chatFileCommands } from "./commands/chatFiles";
import { connectionCommands } from "./commands/connections";
import { ledgerCommands } from "./commands/ledger";
import { modelCommands } from "./commands/models";
import { ruleCommands } from "./commands/rules";
import { serverEditCommands } from "./commands/serverEdit";
import { serverCommands } from "./commands/servers";
import { signInCommands } from "./commands/signIn";
import { windowCommands } from "./commands/window";
import { workspaceCommands } from "./commands/workspaces";
import { World } from "./world";

export function fakeMain(): MainHost {
  const fake = new World();
  Object.assign(window, { fake });
  return {
    ...windowCommands(fake),
    ...chatCommands(fake),
    ...backupCommands(fake),
    ...bundleCommands(fake),
    ...chatFileCommands(fake),
    ...serverCommands(fake),
    ...serverEditCommands(fake),
    ...signInCommands(fake),
    ...ruleCommands(fake),
    ...ledgerCommands(fake),
    ...connectionCommands(fake),
    ...modelCommands(fake),
    ...workspaceCommands(fake),
  };
}
