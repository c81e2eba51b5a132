// What went over the wire between the application and a server that was started through the tap.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TAP = join(dirname(fileURLToPath(import.meta.url)), "tap.mjs");

/** The same server with the tap before it; what passes is kept in `folder`. */
export const tapped = ({ command, args }, folder) => ({ command: "node", args: [TAP, folder, command, ...args] });

/** The messages of both directions, oldest first. */
export class WireCopy {
  #folder;

  constructor(folder) {
    this.#folder = folder;
  }

  /** Every whole line the application wrote to the server. */
  get fromHost() {
    return this.#read("from-host");
  }

  /** Every whole line the server wrote to the application. */
  get fromServer() {
    return this.#read("from-server");
  }

  #read(name) {
    const file = join(this.#folder, name);
    if (!existsSync(file)) return [];
    return readFileSync(file, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  /**
   * What the application last told the server about the wish `key` of the tool `tool`: with the call made again, as the
   * newest revision has it, or as the answer to a request of the server's own. `retry` says of a call made again whether
   * it gave back the server's state as it was, had the same arguments, an id of its own, and answered what was asked.
   */
  answer(tool, key) {
    const calls = this.fromHost.filter(({ method, params }) => method === "tools/call" && params.name === tool);
    const again = calls.findLast(({ params }) => params.inputResponses !== undefined);
    if (again === undefined) {
      const asked = this.fromServer.findLast(({ method, id }) => method !== undefined && id !== undefined);
      return { answer: this.fromHost.findLast(({ id, method }) => method === undefined && id === asked.id)?.result };
    }
    const first = calls.findLast(({ params }) => params.inputResponses === undefined);
    const { result } = this.fromServer.find(({ id }) => id === first.id);
    const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
    const retry = {
      state: again.params.requestState === result.requestState,
      arguments: same(again.params.arguments, first.params.arguments),
      newId: calls.filter(({ id }) => id === again.id).length === 1,
      sameKeys: same(Object.keys(again.params.inputResponses), Object.keys(result.inputRequests)),
    };
    return { answer: again.params.inputResponses[key], retry };
  }
}
