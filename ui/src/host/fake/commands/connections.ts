// The commands about connections and models, as the host would answer them.
import type { MainHost } from "../../commands";
import type { ConnectionView, LocalModelView, ModelView, TrialView } from "../../bindings";
import { listing, localConnection } from "../data";
import { done, no, soon } from "../replies";
import type { World } from "../world";

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

export function connectionCommands(world: World) {
  const keep = (connections: ConnectionView[], models: ModelView[]) => {
    world.connections = connections;
    world.models = models;
    world.tell({ event: "models", connections, models });
  };
  const change = (id: string, to: Partial<ModelView>) => {
    const models = world.models.map((model) => (model.id === id ? { ...model, ...to } : model));
    keep(world.connections, models);
    return soon(undefined);
  };
  const setLocal = (id: string, state: LocalModelView["state"]) => {
    const set = (one: ConnectionView) =>
      one.id === id && one.local ? { ...one, local: { ...one.local, state } } : one;
    keep(world.connections.map(set), world.models);
    return soon(undefined);
  };
  return {
    connectionSave: (draft) => {
      if (!/^https?:/.test(draft.base_url))
        return no({ problem: "address_invalid", url: draft.base_url, detail: "relative URL without a base" });
      const id = draft.id ?? `c-${String(next++)}`;
      const before = world.connections.find((connection) => connection.id === id);
      const connection: ConnectionView = {
        id,
        label: draft.label || new URL(draft.base_url).host,
        wire: draft.wire ?? before?.wire ?? "chat_completions",
        base_url: draft.base_url,
        proxy: proxyTo(draft.base_url),
        has_key: draft.key === null ? (before?.has_key ?? false) : draft.key !== "",
        headers: draft.headers.map(({ name }) => name),
        local: null,
      };
      const models = draft.models.map((name) => made(connection, name));
      const save = () => {
        const others = world.connections.filter((other) => other.id !== id);
        keep([...others, connection], [...world.models, ...models]);
      };
      return soon({ connection: id, models: models.map((model) => model.id), change: world.ask("q-model", save) });
    },
    localModelAdd: ({ file, program }) => {
      if (!file.endsWith(".gguf"))
        return no({ problem: "model_file_unusable", file, detail: "this is not a GGUF file" });
      const local: LocalModelView = {
        program: program || "llama-server",
        file,
        state: { state: "stopped", problem: null },
      };
      const connection = { ...localConnection, id: `c-${String(next++)}`, local };
      const model = made(connection, connection.label);
      keep([...world.connections, connection], [...world.models, model]);
      return soon(model.id);
    },
    localModelSave: (id, { file, program }) => {
      const local: LocalModelView = {
        program: program || "llama-server",
        file,
        state: { state: "stopped", problem: null },
      };
      const set = (one: ConnectionView) => (one.id === id ? { ...one, local } : one);
      keep(world.connections.map(set), world.models);
      return soon(undefined);
    },
    localModelStart: (id) => setLocal(id, { state: "starting" }),
    localModelStop: (id) => setLocal(id, { state: "stopped", problem: null }),
    modelFileChoose: () => soon("/home/ada/models/small-one-4b-q4.gguf"),
    connectionRemove: (id) => {
      const models = world.models.filter(({ kind }) => kind.kind !== "remote" || kind.connection !== id);
      keep(
        world.connections.filter((connection) => connection.id !== id),
        models,
      );
      return soon(undefined);
    },
    connectionModels: () => soon(listing),
    modelsAdd: (id, names) => {
      const connection = world.connections.find((one) => one.id === id);
      if (!connection) return no({ problem: "gone" });
      const models = names.map((name) => made(connection, name));
      const add = () => keep(world.connections, [...world.models, ...models]);
      const isUncounted = models.some(({ facts }) => facts.prices === undefined);
      return soon({
        models: models.map((model) => model.id),
        change: isUncounted ? world.lower("q-unpriced", add) : done(add()),
      });
    },
    modelSave: ({ id, label, model }) =>
      soon(world.lower("q-prices", () => void change(id, { label: label || model }))),
    modelFavourite: (id, favourite) => change(id, { favourite }),
    modelTry: (id) => soon(TRIALS[id] ?? { steps: ["connection", "key", "model", "reply"], failed: null, took_ms: 12 }),
    modelRemove: (id) => {
      keep(
        world.connections,
        world.models.filter((model) => model.id !== id),
      );
      return soon(undefined);
    },
  } satisfies Partial<MainHost>;
}
