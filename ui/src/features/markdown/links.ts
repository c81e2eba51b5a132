// Which links of a text can be opened, for the links in it.
import { createContext } from "svelte";

/** The links of one text. */
export interface TextLinks {
  /** Asks the user whether to open the page at an address; undefined where it cannot be opened. */
  opener: (address: string) => (() => void) | undefined;
}

export const [textLinks, setTextLinks] = createContext<TextLinks>();

/** Whether an address leads to a web page. No other one is ever opened. */
export function isWeb(address: string): boolean {
  return /^https?:\/\//i.test(address);
}
