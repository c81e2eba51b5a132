// The shape of the words for a problem, and whose message is quoted in them.
import type { Trouble } from "../../host";

/** A problem in words. */
export interface Words {
  happened: string;
  todo: string;
  /** The server's own message, to be quoted. */
  quote?: { by: "server" | "system" | "model"; text: string } | undefined;
}

/** The words for each problem of a group; a problem without words is a type error. */
export type WordsOf<Group extends Trouble> = {
  [Kind in Group["problem"]]: (trouble: Extract<Group, { problem: Kind }>) => Words;
};

export const server = (text: string) => quoted("server", text);
export const system = (text: string) => quoted("system", text);
export const model = (text: string) => quoted("model", text);

function quoted(by: NonNullable<Words["quote"]>["by"], text: string): Words["quote"] {
  return text.trim() === "" ? undefined : { by, text };
}
