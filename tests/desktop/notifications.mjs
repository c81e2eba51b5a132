// The notification service of a test's desktop: a small program that really speaks D-Bus on the session bus of that
// desktop, keeps what it was asked, and can be clicked.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { APPLICATION } from "./desktop.mjs";
import { stop } from "./processes.mjs";
import { waitFor } from "./wait.mjs";

/** Starts the service. It must run before the application has something to say. */
export async function startNotifications(desktop) {
  const program = join(dirname(APPLICATION), "vestibule-notifications");
  const child = spawn(program, [], { env: desktop.env, stdio: ["pipe", "pipe", "inherit"] });
  process.once("exit", () => child.kill("SIGKILL"));
  const service = new Notifications(child);
  await waitFor("the notification service", () => service.said.some(({ ready }) => ready));
  return service;
}

class Notifications {
  #child;
  /** Everything it was asked, in order. */
  said = [];

  constructor(child) {
    this.#child = child;
    createInterface({ input: child.stdout }).on("line", (line) => this.said.push(JSON.parse(line)));
  }

  /** Every notification that was shown so far, as `{ shown, title, text, actions }`. */
  get shown() {
    return this.said.filter(({ shown }) => shown);
  }

  /** The ids that were taken back. */
  get withdrawn() {
    return this.said.flatMap(({ withdrawn }) => withdrawn ?? []);
  }

  /** Clicks a notification, as the person would. */
  click(id) {
    this.#child.stdin.write(`click ${id}\n`);
  }

  stop() {
    return stop(this.#child);
  }
}
