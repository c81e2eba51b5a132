// A server that is changed: its draft, what saving would end, and the change.
import type { PlaceDraft, PlaceView, RuleView, ServerDraft, ServerEditEffects, ServerView } from "../../bindings";
import type { MainHost } from "../../commands";
import { placed } from "../pasted";
import { no, soon } from "../replies";
import type { World } from "../world";

const withoutValues = (names: string[]) => names.map((name) => ({ name, value: "", pasted: false }));

/** A server as its form starts. */
function draftOf({ name, place, era }: ServerView): ServerDraft {
  if (place.at === "here") {
    const { command, args, variables, folder } = place;
    return { name, era, place: { at: "here", command, args, env: withoutValues(variables), folder } };
  }
  const { url, transport, headers } = place;
  return { name, era, place: { at: "address", url, transport, headers: withoutValues(headers) } };
}

const pairs = (place: PlaceDraft) => (place.at === "here" ? place.env : place.headers);

/** Whether another program or another address is drafted. */
function isAnother(before: PlaceView, after: PlaceDraft): boolean {
  if (before.at === "here" && after.at === "here")
    return JSON.stringify([before.command, before.args]) !== JSON.stringify([after.command, after.args]);
  return before.at !== "address" || after.at !== "address" || before.url !== after.url;
}

function effectsOf(world: World, server: ServerView, draft: ServerDraft): ServerEditEffects {
  const before = draftOf(server);
  const moves = isAnother(server.place, draft.place);
  const reviewed = JSON.stringify(before.place) !== JSON.stringify(draft.place);
  // A permission to start or connect says nothing of another start.
  const isPast = ({ action }: RuleView) => reviewed && ["start_server", "connect_server"].includes(action.action);
  const rules = world.rules.filter((rule) => rule.server === server.id && !rule.ended && !isPast(rule));
  const ends = rules.filter(({ decision }) => moves && decision === "allow");
  const { place } = draft;
  const leaves = server.place.at === "address" && place.at === "address" && !place.url.startsWith(server.place.origin);
  const lost = pairs(place).filter(
    ({ name, value }) => value === "" && pairs(before.place).some((old) => old.name === name),
  );
  return {
    changes: reviewed || before.name !== draft.name || before.era !== draft.era,
    restarts: reviewed || before.era !== draft.era,
    reviewed,
    moves,
    ends,
    stays: rules.filter((rule) => !ends.includes(rule)),
    unshared: world.workspaces
      .flatMap(({ folders }) => folders)
      .filter(({ shares }) => moves && shares.some((share) => share.server === server.id))
      .map(({ path }) => path),
    signs_out: moves && server.sign_in?.held != null,
    lost: leaves ? lost.map(({ name }) => name) : [],
  };
}

export function serverEditCommands(world: World) {
  return {
    serverDraft: (id) => {
      const server = world.serverOf(id);
      return server ? soon(draftOf(server)) : no({ problem: "gone" });
    },
    serverEditEffects: (id, draft) => {
      const server = world.serverOf(id);
      return server ? soon(effectsOf(world, server, draft)) : no({ problem: "gone" });
    },
    serverEdit: (id, draft) => {
      const server = world.serverOf(id);
      if (!server) return no({ problem: "gone" });
      if (draft.name === "") return no({ problem: "name_missing" });
      const { ends, restarts } = effectsOf(world, server, draft);
      world.rules = world.rules.filter((rule) => !ends.includes(rule));
      const state = restarts ? { state: "stopped" as const } : server.state;
      world.putServer({ ...server, name: draft.name, era: draft.era, place: placed(draft.place), state });
      return soon(undefined);
    },
  } satisfies Partial<MainHost>;
}
