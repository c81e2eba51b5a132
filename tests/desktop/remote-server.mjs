// The reference server "everything" at an address on this computer, started and ended by the test. It is another
// program on purpose: what our client does with it is not what our own server would forgive.
import { join } from "node:path";
import { ROOT } from "./desktop.mjs";
import { answering, freePort, start, stop } from "./processes.mjs";

const PROGRAM = join(ROOT, "target/peers/npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
/** Its two ways over HTTP, and the path each is at. */
const PATHS = { streamableHttp: "/mcp", sse: "/sse" };

/** Starts it speaking `way`, with its output in the folder `reports`; at `port`, or at a free one. */
export async function startEverything(way, reports, port) {
  const own = port ?? (await freePort());
  const log = join(reports, `everything-${way}.log`);
  const child = start("node", [PROGRAM, way], { env: { PATH: process.env.PATH, PORT: String(own) }, log });
  await answering(`http://127.0.0.1:${own}/`, child, log);
  return {
    port: own,
    url: `http://127.0.0.1:${own}${PATHS[way]}`,
    stop: () => stop(child),
    /** Ends it as a crash would: nothing is closed, nobody is told. */
    kill: () => {
      child.kill("SIGKILL");
      return stop(child);
    },
  };
}
