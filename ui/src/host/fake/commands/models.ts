// What is between this computer and models, and the budgets of servers that use them.
import type { MainHost } from "../../commands";
import type { CostBudget, Settings } from "../../bindings";
import type { World } from "../world";
import { done, soon } from "../replies";
import { proxyTo } from "./connections";

export function modelCommands(world: World) {
  const set = (change: Partial<Settings>) => {
    world.settings = { ...world.settings, ...change };
    world.tell({ event: "settings", settings: world.settings });
  };
  const end = (one: CostBudget | null) => (one?.stop ? one.limit : Infinity);
  const save = (before: CostBudget | null, after: CostBudget | null, question: string, change: () => void) =>
    end(after) > end(before) ? world.ask(question, change) : done(change());
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
      soon({
        budget: world.budget,
        spent_hour: 1204,
        spent_day: 8120,
        costs_hour: [],
        costs_day: [
          { currency: "EUR", amount: 310_000 },
          { currency: "USD", amount: 41_200 },
        ],
      }),
    samplingBudgetSave: (_, budget) => soon(done((world.budget = budget))),
    monthBudgetSave: (budget) => soon(save(world.settings.budget, budget, "q-month", () => set({ budget }))),
    dayBudgetSave: (budget) =>
      soon(save(world.settings.day_budget, budget, "q-month", () => set({ day_budget: budget }))),
    currencySave: (currency) => soon(world.lower("q-currency", () => set({ currency }))),
    chatBudgetSave: (id, budget) => {
      const settings = world.chats.find((chat) => chat.id === id)?.settings ?? {};
      const { budget: before, ...others } = settings;
      const next = budget === null ? others : { ...others, budget };
      return soon(save(before ?? null, budget, "q-chat-budget", () => world.changeChat(id, { settings: next })));
    },
    chatGoOnOnce: () => soon(world.ask("q-once", () => undefined)),
  } satisfies Partial<MainHost>;
}
