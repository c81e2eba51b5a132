// How much of a long command line is shown before the person asks for the rest. Until then it can not be started.
import type { Launch } from "../../host/bindings";

const MOST = { arguments: 24, characters: 3000 };

/** How many arguments are shown at first, or false where all of them are. An argument is shown whole or not at all. */
export function closedArguments(launch: Launch): { shown: number } | false {
  let characters = 0;
  for (const [index, argument] of launch.args.entries()) {
    characters += argument.length;
    if (index > 0 && (index >= MOST.arguments || characters > MOST.characters)) return { shown: index };
  }
  return false;
}
