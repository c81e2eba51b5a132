// The reference server "everything" at an address on this computer, started and ended by the test. It is another
// program on purpose: what our client does with it is not what our own server would forgive. Its address belongs to a
// forwarder, so that another server is there at once after the first one died.
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { ROOT } from "./desktop.mjs";
import { answering, freePort, portOf, start, stop } from "./processes.mjs";

const PROGRAM = join(ROOT, "target/peers/npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
/** Its two ways over HTTP, and the path each is at. */
const PATHS = { streamableHttp: "/mcp", sse: "/sse" };

/** Starts it speaking `way`, with its output in the folder `reports`. */
export async function startEverything(way, reports) {
  const server = new RemoteServer(way, reports);
  await server.start();
  return server;
}

class RemoteServer {
  #way;
  #reports;
  #forwarder = createServer((socket) => this.#forward(socket));
  #sockets = new Set();
  #processes = [];
  /** The port of the process that new connections are forwarded to. */
  #port;

  constructor(way, reports) {
    this.#way = way;
    this.#reports = reports;
  }

  async start() {
    await this.startAnother();
    await this.#listen(0);
    this.port = portOf(this.#forwarder);
    this.url = `http://127.0.0.1:${this.port}${PATHS[this.#way]}`;
  }

  /** Starts another process; new connections to the address lead to it. */
  async startAnother() {
    const port = await freePort();
    const log = join(this.#reports, `everything-${this.#way}-${this.#processes.length}.log`);
    const child = start("node", [PROGRAM, this.#way], { env: { PATH: process.env.PATH, PORT: String(port) }, log });
    this.#processes.push(child);
    await answering(`http://127.0.0.1:${port}/`, child, log);
    this.#port = port;
  }

  /** Kills the first process and closes its connections and its address; the server sends no last message. */
  async die() {
    this.#processes[0].kill("SIGKILL");
    await stop(this.#processes[0]);
    await this.#close();
  }

  /** Opens the address again; it leads to the process that was started last. */
  comeBack() {
    return this.#listen(this.port);
  }

  async stop() {
    await this.#close();
    await Promise.all(this.#processes.map((child) => stop(child)));
  }

  async #listen(port) {
    this.#forwarder.listen(port, "127.0.0.1");
    await once(this.#forwarder, "listening");
  }

  async #close() {
    const closed = this.#forwarder.listening && once(this.#forwarder, "close");
    this.#forwarder.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #forward(socket) {
    const there = connect(this.#port, "127.0.0.1");
    const ends = [socket, there];
    for (const [end, other] of [ends, ends.toReversed()]) {
      this.#sockets.add(end);
      end.on("error", () => other.destroy());
      end.on("close", () => {
        this.#sockets.delete(end);
        other.destroy();
      });
      end.pipe(other);
    }
  }
}
