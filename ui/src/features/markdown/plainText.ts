// Inline Markdown that is nothing but words, which most items of lists and cells of tables are. They are drawn as one text
// node: the components for marks cost about ten nodes and as many effects each, and a stream brings thousands of items.
import type { Token, Tokens } from "marked";
import { hidesSomething } from "../text/escapes";
import { unreferenced } from "./blocks";

/** The words, or null where there are marks, mathematics or characters that do not show. */
export function plainText(tokens: readonly Token[]): string | null {
  const [only, ...others] = tokens as Tokens.Text[];
  if (!only) return "";
  if (others.length > 0 || only.type !== "text") return null;
  if (only.tokens) return plainText(only.tokens);
  const words = unreferenced(only.text);
  return hidesSomething(words) ? null : words;
}
