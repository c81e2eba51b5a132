// Language models, and the budgets of servers that use them.
import type { MainHost } from "../../commands";
import type { World } from "../world";
import { done, no, soon } from "../replies";

export function modelCommands(world: World) {
  return {
    modelSave: (draft) => {
      if (!/^https?:/.test(draft.base_url))
        return no({ problem: "address_invalid", url: draft.base_url, detail: "relative URL without a base" });
      const id = draft.id ?? world.nextId("m");
      const made = {
        id,
        label: draft.label || draft.model,
        kind: {
          kind: "open_ai_compatible" as const,
          wire: draft.wire ?? ("chat_completions" as const),
          base_url: draft.base_url,
          model: draft.model,
          proxy: proxyTo(draft.base_url),
        },
        has_key: Boolean(draft.key),
        price_in: draft.price_in,
        price_out: draft.price_out,
      };
      const keep = () => {
        world.models = [...world.models.filter((model) => model.id !== id), made];
        world.tell({ event: "models", models: world.models });
      };
      return soon({ model: id, change: world.ask("q-model", keep) });
    },
    modelRemove: (id) => {
      world.models = world.models.filter((model) => model.id !== id);
      world.tell({ event: "models", models: world.models });
      return soon(undefined);
    },
    modelList: () => soon(["llama3.1:8b", "qwen3:14b", "gpt-oss:20b"]),
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
  } satisfies Partial<MainHost>;
}

function proxyTo(address: string): string | null {
  return /^https:\/\/\w/.test(address) ? "http://proxy.harbour.example:3128" : null;
}
