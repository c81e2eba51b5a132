// Servers: added, started, stopped, and what they list.
import type { NamedValue, VariableEffect } from "../../bindings";
import type { MainHost } from "../../commands";
import type { World } from "../world";
import { appConfigs } from "../appConfigs";
import { MINUTE, NOW } from "../data";
import { nothing } from "../offers";
import { galleryPage } from "../gallery";
import { deciding, log, tools, tour, traffic } from "../servers";
import { no, soon } from "../replies";
import { parse, placed } from "../pasted";

const shownVariable = (name: string, effect: VariableEffect, text: string): NamedValue => ({
  name,
  effect,
  value: { display: "shown", text },
});

export function serverCommands(world: World) {
  return {
    serverLogLevel: () => soon(undefined),
    serverOffers: (id) => soon(world.offers[id] ?? nothing),
    serverParse: (text) => parse(text),
    appConfigs: () => soon(appConfigs),
    gallerySearch: (search, cursor) => galleryPage(search, cursor),
    serverAdd: (draft) => {
      if (draft.name === "") return no({ problem: "name_missing" });
      if (draft.place.at === "here" && draft.place.command === "") return no({ problem: "command_missing" });
      if (draft.place.at === "address" && draft.place.url === "") return no({ problem: "address_missing" });
      if (world.servers.some(({ name }) => name === draft.name)) return no({ problem: "name_taken", name: draft.name });
      const alike = world.servers.find(({ name }) => name.toLowerCase() === draft.name.toLowerCase());
      if (alike) return no({ problem: "name_alike", name: draft.name, other: alike.name });
      const id = world.nextId("s");
      const made = { ...tour, name: draft.name, era: draft.era, place: placed(draft.place), id };
      setTimeout(() => world.putServer(made), 60);
      return soon(id);
    },
    serverRemove: (id) => {
      world.servers = world.servers.filter((server) => server.id !== id);
      world.tell({ event: "server_gone", server: id });
      return soon(undefined);
    },
    serverStart: (id) => {
      const server = world.serverOf(id);
      if (!server) return no({ problem: "gone" });
      if (server.missing.length > 0) return no({ problem: "secrets_missing", names: server.missing });
      world.putServer({ ...server, state: { state: "asking", question: "q-start" } });
      world.addWaiting("q-start", id);
      return soon(undefined);
    },
    serverStop: (id) => {
      const server = world.serverOf(id);
      if (server) world.putServer({ ...server, state: { state: "stopped" } });
      return soon(undefined);
    },
    serverSecret: (id, name) => {
      const server = world.serverOf(id);
      if (server) world.putServer({ ...server, missing: server.missing.filter((missing) => missing !== name) });
      return soon(undefined);
    },
    serverUnmute: (id, asking) => {
      world.muted = world.muted.filter((one) => one.server !== id || one.asking !== asking);
      world.tell({ event: "muted", muted: world.muted });
      return soon(undefined);
    },
    serverToolList: (id) => {
      const state = world.serverOf(id)?.state.state;
      const listed_ms = state === "ready" || state === "reopening" ? null : NOW - 20 * MINUTE;
      return soon({ tools: tools[id] ?? [], listed_ms });
    },
    serverUpdate: (id) => {
      if (world.serverOf(id)?.package?.version === "1.5.0") return soon({ change: "done" });
      world.addWaiting("q-update", id);
      return soon({ change: "asked", question: "q-update" });
    },
    serverUpdateStop: () => soon(undefined),
    serverListAgain: (id) => {
      const server = world.serverOf(id);
      if (server) world.putServer({ ...server, listing_problem: null, tool_count: 4 });
      return soon(undefined);
    },
    serverTraffic: (_, after) => soon({ exchanges: after === 0 ? traffic : [], upto: 5, oldest: 1 }),
    networkVariables: () =>
      soon([
        shownVariable("HTTPS_PROXY", "routes_traffic", "http://•••@proxy.example.com:8080"),
        shownVariable("NO_PROXY", "routes_traffic", "localhost,.example.com"),
        shownVariable("NODE_EXTRA_CA_CERTS", "trust", "/etc/ssl/certs/company.pem"),
      ]),
    serverVariables: (id) => soon(deciding[id] ?? []),
    serverLog: (_, after) => {
      world.reads.log += 1;
      return soon({ lines: log.filter(({ number }) => number > after), dropped: 312 });
    },
    commandLineSplit: (line) =>
      line.includes('"') ? no({ problem: "command_line_unclosed" }) : soon(line.trim().split(/\s+/)),
    toolRule: (server, _, rule) => {
      if (rule === "allow") world.addWaiting("q-allow", server);
      return soon(undefined);
    },
    toolsAllow: (server, names) => {
      world.allowed.push(names);
      world.addWaiting("q-allow", server);
      return soon(undefined);
    },
    toolReview: (server) => {
      world.addWaiting("q-changed", server);
      return soon(undefined);
    },
  } satisfies Partial<MainHost>;
}
