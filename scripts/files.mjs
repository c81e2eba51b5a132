// The files of this repository, for the scripts that check them.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Names of files that fit Git's patterns, relative to the root: what is tracked, and what is new and not ignored.
 * @param {string[]} patterns
 */
export const listed = (...patterns) =>
  execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...patterns], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 << 20,
  })
    .split("\0")
    .filter((name) => name !== "" && existsSync(join(root, name)));
