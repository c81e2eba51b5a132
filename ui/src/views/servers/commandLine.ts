// Takes a command line apart the way the user means it: at spaces, with quotes keeping words together. There is no
// shell here, so nothing is expanded; what comes out is shown as single arguments before anything is added.

/** The words of a command line. */
export function splitCommand(line: string): string[] {
  const words = line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g);
  return [...words].map(([, double, single, bare]) => double?.replaceAll(/\\(.)/g, "$1") ?? single ?? bare ?? "");
}
