// Reads code line by line and says which stretches of it get which colour. A parser of the library reads a line in one go
// and keeps its state between lines, so that reading can pause after each.
import { StringStream, type StreamParser } from "@codemirror/streamparser";

/** What a stretch of code is; each has one colour. */
export type CodeKind = "keyword" | "literal" | "string" | "comment" | "name" | "property" | "added" | "removed";

/** A stretch of code in UTF-16 units from its beginning. */
export interface CodeToken {
  from: number;
  to: number;
  kind: CodeKind;
}

/** A line with more characters than this is not read: some parsers take time that grows with its square. */
const LONGEST_LINE = 500;
/** How often a parser may stay at the same place before it is moved on. */
const MOST_STOPS = 10;
const TAB = 4;

/** The first word of a style of the library. */
const KIND_OF: Readonly<Record<string, CodeKind>> = {
  keyword: "keyword",
  tag: "keyword",
  tagName: "keyword",
  operatorKeyword: "keyword",
  atom: "literal",
  bool: "literal",
  number: "literal",
  string: "string",
  "string-2": "string",
  regexp: "string",
  character: "string",
  url: "string",
  comment: "comment",
  quote: "comment",
  meta: "comment",
  def: "name",
  header: "name",
  heading: "name",
  type: "name",
  typeName: "name",
  className: "name",
  builtin: "name",
  labelName: "name",
  macroName: "name",
  attribute: "property",
  attributeName: "property",
  property: "property",
  propertyName: "property",
  qualifier: "property",
  inserted: "added",
  positive: "added",
  deleted: "removed",
  negative: "removed",
};

/** The colour of a style such as `variableName.definition` or `string error`. */
function kindOf(style: string): CodeKind | undefined {
  const [first = ""] = style.split(" ");
  const [base = "", ...modifiers] = first.split(".");
  if (base === "variableName" && modifiers.some((it) => it === "definition" || it === "standard")) return "name";
  return KIND_OF[base];
}

/** The coloured stretches of a code, line by line. */
export function* tokensOf(parser: StreamParser<unknown>, code: string): Generator<CodeToken[]> {
  const state = parser.startState?.(TAB) ?? {};
  let from = 0;
  for (const line of code.split("\n")) {
    if (line === "") parser.blankLine?.(state, TAB);
    yield line.length > LONGEST_LINE ? [] : lineTokens(parser, state, line, from);
    from += line.length + 1;
  }
}

function lineTokens(parser: StreamParser<unknown>, state: unknown, line: string, from: number): CodeToken[] {
  const stream = new StringStream(line, TAB, TAB);
  const found: CodeToken[] = [];
  let stops = 0;
  while (!stream.eol()) {
    const kind = kindOf(parser.token(stream, state) ?? "");
    if (stream.pos === stream.start) {
      stops += 1;
      if (stops <= MOST_STOPS) continue;
      stream.next();
    } else if (kind) found.push({ from: from + stream.start, to: from + stream.pos, kind });
    stops = 0;
    stream.start = stream.pos;
  }
  return found;
}
