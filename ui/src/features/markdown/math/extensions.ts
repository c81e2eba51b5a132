// Mathematics as tokens of the lexer, so that no mark of Markdown is seen within a formula.
import type { MarkedOptions, Token, Tokens } from "marked";
import { formulaAt, formulaBlockAt, nextFormula, nextFormulaBlock, openedFormula, type Formula } from "./formulas";

/** A formula in the tokens of a text. */
export interface FormulaToken extends Tokens.Generic {
  type: "formula";
  text: string;
  display: boolean;
}

const NONE = { renderers: {}, childTokens: {} };

/** For the options of a lexer. */
export const MATHEMATICS: NonNullable<MarkedOptions["extensions"]> = {
  ...NONE,
  inline: [(text, tokens) => token(formulaAt(text, tokens.at(-1)?.raw.slice(-1) ?? ""))],
  block: [(text) => token(formulaBlockAt(text)) ?? opened(text)],
  startInline: [nextFormula],
  startBlock: [nextFormulaBlock],
};

function token(formula: Formula | null): FormulaToken | undefined {
  return formula ? { type: "formula", raw: formula.raw, text: formula.tex, display: formula.display } : undefined;
}

/** What may become a formula stays one block until it does, or until it cannot any more. */
function opened(text: string): Tokens.Generic | undefined {
  const raw = text.slice(0, openedFormula(text));
  const tokens: Token[] = [{ type: "text", raw, text: raw }];
  return raw === "" ? undefined : { type: "paragraph", raw, text: raw, tokens };
}
