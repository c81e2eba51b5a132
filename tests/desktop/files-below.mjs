// Reads the files that the application and the programs of its desktop write. Some of these programs are still running,
// and take files away or put others in their place.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What `read` returns; undefined where the file or folder has gone. */
function unlessGone(read) {
  try {
    return read();
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The path and the content of each file below a folder. */
export function* filesBelow(folder) {
  for (const entry of unlessGone(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    if (!entry.isFile()) continue;
    const bytes = unlessGone(() => readFileSync(path));
    if (bytes) yield { path, bytes };
  }
}
