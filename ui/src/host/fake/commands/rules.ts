// The rules, what happened to their rows, and a file of rules.
import type { MainHost } from "../../commands";
import type { World } from "../world";
import { done, no, soon } from "../replies";

export function ruleCommands(world: World) {
  return {
    rules: () => soon(world.rules),
    ruleTakeBack: (id) => {
      world.rules = world.rules.filter((rule) => rule.id !== id);
      world.tell({ event: "rules" });
      return soon(done());
    },
    ruleChange: (draft) => soon(draft.when.length === 0 ? "asked" : "holds"),
    ruleTry: () => world.trials.ask(),
    rulesExport: () => soon(JSON.stringify({ format: "vestibule-rules", version: 2, rules: [] }, null, 2)),
    rulesImport: (text) =>
      text.startsWith("{")
        ? soon({ refusals: 1, permissions: 2, left_out: 1, outdated: 1 })
        : no({ problem: "rules_unreadable", detail: "this is no file of rules" }),
    rowKeep: (row) => soon(world.settle(row)),
    rowRemove: (row) => soon(world.settle(row)),
  } satisfies Partial<MainHost>;
}
