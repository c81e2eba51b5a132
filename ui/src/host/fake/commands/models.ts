// What is between this computer and models, and the budgets of servers that use them.
import type { MainHost } from "../../commands";
import type { MonthBudget } from "../../bindings";
import type { World } from "../world";
import { done, soon } from "../replies";
import { proxyTo } from "./connections";

export function modelCommands(world: World) {
  return {
    modelProxy: (baseUrl) => soon(proxyTo(baseUrl)),
    modelDetect: () =>
      soon([
        {
          name: "Ollama",
          wire: "ollama" as const,
          base_url: "http://localhost:11434/",
          models: ["llama3.1:8b", "qwen3:14b"],
        },
      ]),
    samplingBudget: () =>
      soon({ budget: world.budget, spent_hour: 1204, spent_day: 8120, cost_spent_hour: 0, cost_spent_day: 41_200 }),
    samplingBudgetSave: (_, budget) => soon(done((world.budget = budget))),
    monthBudgetSave: (budget) => {
      const { budget: before } = world.settings;
      const set = () => {
        world.settings = { ...world.settings, budget };
        world.tell({ event: "settings", settings: world.settings });
      };
      const end = (one: MonthBudget | null) => (one?.stop ? one.limit : Infinity);
      return soon(end(budget) > end(before) ? world.ask("q-month", set) : done(set()));
    },
  } satisfies Partial<MainHost>;
}
