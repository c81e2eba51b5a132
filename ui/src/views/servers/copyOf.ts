// The name of a copy of a server: the first one that is free.
import type { ServerView } from "../../host/bindings";

/** A name in the words of the original with a number, which no server has. */
export function copyOf(name: string, servers: Pick<ServerView, "name">[]): string {
  for (let number = 2; ; number += 1) {
    const copy = `${name} ${number}`;
    if (!servers.some((server) => server.name === copy)) return copy;
  }
}
