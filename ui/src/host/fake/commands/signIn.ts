// Signing in to a server, and out again.
import type { MainHost } from "../../commands";
import type { World } from "../world";
import { no, soon } from "../replies";

export function signInCommands(world: World) {
  return {
    serverSignIn: (id) => soon(void world.setSignIn(id, { phase: "finding" })),
    serverSignInSettings: () => {
      world.reads.signIn += 1;
      if (world.signInProblem) return no(world.signInProblem);
      return soon({
        method: "page" as const,
        client: null,
        bound: true,
        document: null,
        key: { algorithm: "ES256" as const, id: null },
        company: null,
        token_file: null,
      });
    },
    serverSignInSet: () => soon(undefined),
    serverSignInCancel: (id) => soon(void world.setSignIn(id, null)),
    serverSignInPage: () => soon(undefined),
    serverSignOut: (id) => {
      const server = world.serverOf(id);
      if (server)
        world.putServer({ ...server, state: { state: "stopped" }, sign_in: { phase: null, held: null, offers: null } });
      return soon(undefined);
    },
    serverSwitchAccount: (id) => soon(void world.setSignIn(id, { phase: "finding" })),
  } satisfies Partial<MainHost>;
}
