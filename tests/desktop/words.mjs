// The words of the user interface, from the same catalogue the application is built with, so that a reworded button
// breaks no test and a removed one does.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./desktop.mjs";

/** The messages of a language ("en", "zh-CN"): gives back a function from a key and values to the text. */
export function wordsIn(language) {
  const catalogue = JSON.parse(readFileSync(join(ROOT, `ui/messages/${language}.json`), "utf8"));
  return (key, values = {}) => {
    const found = catalogue[key];
    if (typeof found !== "string") throw new Error(`ui/messages/${language}.json has no plain message “${key}”`);
    return found.replace(/\{(\w+)\}/g, (_, name) => {
      if (!(name in values)) throw new Error(`the message “${key}” needs a value for ${name}`);
      return values[name];
    });
  };
}

/** The English text of a message with its values filled in. */
export const words = wordsIn("en");
