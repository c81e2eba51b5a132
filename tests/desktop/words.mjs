// The words of the user interface, from the same catalogue the application is built with, so that a reworded button
// breaks no test and a removed one does.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./desktop.mjs";

const CATALOGUE = JSON.parse(readFileSync(join(ROOT, "ui/messages/en.json"), "utf8"));

/** The English text of a message with its values filled in. */
export function words(key, values = {}) {
  const found = CATALOGUE[key];
  if (typeof found !== "string") throw new Error(`ui/messages/en.json has no plain message “${key}”`);
  return found.replace(/\{(\w+)\}/g, (_, name) => {
    if (!(name in values)) throw new Error(`the message “${key}” needs a value for ${name}`);
    return values[name];
  });
}
