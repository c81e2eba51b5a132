// Text that was written inside of source code, as the description of a tool often is.

const INDENTATION = /^[ \t]*/;
const depthOf = (line: string) => INDENTATION.exec(line)?.[0].length ?? 0;
const isBlank = (line: string) => depthOf(line) === line.length;

/** A text without the indentation that all its lines after the first share, and without blank lines around it. */
export function withoutIndentation(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  const written = rest.filter((line) => !isBlank(line));
  const depth = written.reduce((least, line) => Math.min(least, depthOf(line)), Infinity);
  const lines = [first.slice(depthOf(first)), ...rest.map((line) => line.slice(Math.min(depth, depthOf(line))))];
  const begin = lines.findIndex((line) => !isBlank(line));
  const end = lines.findLastIndex((line) => !isBlank(line));
  return begin < 0 ? "" : lines.slice(begin, end + 1).join("\n");
}
