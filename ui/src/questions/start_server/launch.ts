// How much of a long command line is shown before the user asks for the rest. Until then it cannot be started.
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

/** How much of a value is shown at first where all of them are long. */
export const CUT = 600;

/** Whether the values that decide what runs are too long to be shown at first. Until they are, it cannot be started. */
export function closedValues(launch: Launch): boolean {
  const shown = launch.variables.map(({ value }) => (value.display === "shown" ? value.text.length : 0));
  return shown.reduce((all, length) => all + length, 0) > MOST.characters && shown.some((length) => length > CUT);
}
