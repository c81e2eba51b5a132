// The commands about connections and models, as the host would answer them.
import type { MainHost } from "../commands";
import type { ChangeOutcome, ConnectionView, ModelView, Problem, TrialView } from "../bindings";
import { listing } from "./data";

/** What these commands act on. */
interface Shelf {
  connections: () => ConnectionView[];
  models: () => ModelView[];
  keep: (connections: ConnectionView[], models: ModelView[]) => void;
  /** Asks in the consent window before `then` is done. */
  ask: (question: string, then: () => void) => ChangeOutcome;
}

type ModelCommands = Pick<
  MainHost,
  | "connectionSave"
  | "connectionRemove"
  | "connectionModels"
  | "modelsAdd"
  | "modelSave"
  | "modelFavourite"
  | "modelTry"
  | "modelRemove"
>;

const soon = <Value>(value: Value) => new Promise<Value>((done) => setTimeout(() => done(structuredClone(value)), 20));
const no = (problem: Problem) => Promise.reject(problem);

export function proxyTo(address: string): string | null {
  return /^https:\/\/\w/.test(address) ? "http://proxy.harbour.example:3128" : null;
}

let next = 0;

function made({ id, base_url: address }: ConnectionView, name: string): ModelView {
  return {
    id: `m-${String(next++)}`,
    label: name,
    kind: { kind: "remote", connection: id, base_url: address, model: name },
    favourite: false,
    facts: listing.models.find((listed) => listed.name === name)?.facts ?? {},
  };
}

const TRIALS: Record<string, TrialView> = {
  llama: {
    steps: ["connection", "key", "model", "reply"],
    failed: null,
    took_ms: 840,
  },
  large: {
    steps: ["name", "connection", "encryption", "key", "model", "reply"],
    failed: { step: "key", problem: { problem: "model_unauthorized", endpoint: "models.example.org" } },
    took_ms: 310,
  },
};

export function modelCommands(shelf: Shelf): ModelCommands {
  const change = (id: string, to: Partial<ModelView>) => {
    const models = shelf.models().map((model) => (model.id === id ? { ...model, ...to } : model));
    shelf.keep(shelf.connections(), models);
    return soon(undefined);
  };
  return {
    connectionSave: (draft) => {
      if (!/^https?:/.test(draft.base_url))
        return no({ problem: "address_invalid", url: draft.base_url, detail: "relative URL without a base" });
      const id = draft.id ?? `c-${String(next++)}`;
      const before = shelf.connections().find((connection) => connection.id === id);
      const connection: ConnectionView = {
        id,
        label: draft.label || new URL(draft.base_url).host,
        wire: draft.wire ?? before?.wire ?? "chat_completions",
        base_url: draft.base_url,
        proxy: proxyTo(draft.base_url),
        has_key: draft.key === null ? (before?.has_key ?? false) : draft.key !== "",
        headers: draft.headers.map(({ name }) => name),
      };
      const models = draft.models.map((name) => made(connection, name));
      const keep = () => {
        const others = shelf.connections().filter((other) => other.id !== id);
        shelf.keep([...others, connection], [...shelf.models(), ...models]);
      };
      return soon({ connection: id, models: models.map((model) => model.id), change: shelf.ask("q-model", keep) });
    },
    connectionRemove: (id) => {
      const models = shelf.models().filter(({ kind }) => kind.kind !== "remote" || kind.connection !== id);
      shelf.keep(
        shelf.connections().filter((connection) => connection.id !== id),
        models,
      );
      return soon(undefined);
    },
    connectionModels: () => soon(listing),
    modelsAdd: (id, names) => {
      const connection = shelf.connections().find((one) => one.id === id);
      if (!connection) return no({ problem: "gone" });
      const models = names.map((name) => made(connection, name));
      shelf.keep(shelf.connections(), [...shelf.models(), ...models]);
      return soon(models.map((model) => model.id));
    },
    modelSave: ({ id, label, model }) => change(id, { label: label || model }),
    modelFavourite: (id, favourite) => change(id, { favourite }),
    modelTry: (id) => soon(TRIALS[id] ?? { steps: ["connection", "key", "model", "reply"], failed: null, took_ms: 12 }),
    modelRemove: (id) => {
      shelf.keep(
        shelf.connections(),
        shelf.models().filter((model) => model.id !== id),
      );
      return soon(undefined);
    },
  };
}
