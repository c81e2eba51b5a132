// Servers made with two other people's SDKs that ask the person for everything, and a place in the network that would
// see it if anybody fetched a page.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { ROOT } from "./desktop.mjs";
import { portOf } from "./processes.mjs";

const PEERS = join(ROOT, "target/peers");
const script = (name) => join(ROOT, "tests/peers/servers", name);
const MODULES = join(PEERS, "npm/node_modules");

/** Asks whatever it is told to, also what no server may. */
export const ASKING = { command: "node", args: [join(ROOT, "tests/desktop/asking-server.mjs")] };
/** Over the newest revision, by results that want input. */
export const TYPESCRIPT = { command: "node", args: [script("asking.cjs"), MODULES] };
/** The same server over the handshake, by requests of its own. */
export const TYPESCRIPT_HANDSHAKE = { command: "node", args: [script("asking.cjs"), MODULES, "handshake"] };
/** Over the newest revision. */
export const PYTHON = { command: join(PEERS, "py/bin/python"), args: [script("asking.py")] };
/** Over the handshake: the generation of its SDK that knows nothing else. */
export const PYTHON_HANDSHAKE = { command: join(PEERS, "py1/bin/python"), args: [script("asking_handshake.py")] };

/** Adds an argument to a server that no other process has, because tests that run beside start the same programs. */
export function marked(server) {
  const mark = randomUUID();
  return { server: { ...server, args: [...server.args, mark] }, mark };
}

/** Listens on this computer and counts who connects, whatever they want. */
export async function watchedPlace() {
  const place = { visits: 0 };
  const server = createServer((socket) => {
    place.visits += 1;
    socket.resume();
    socket.end("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref(); // a story that fails before `close` ends all the same
  place.url = `http://127.0.0.1:${portOf(server)}/sign-in?state=a%20b%3Bid&next=%2Fhome#done`;
  place.close = () => new Promise((closed) => server.close(closed));
  return place;
}
