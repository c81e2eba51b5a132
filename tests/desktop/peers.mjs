// Packages of others that stand beside the project (target/peers), for tests that run one of them in their own process.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./desktop.mjs";

const find = createRequire(join(ROOT, "target/peers/npm/package.json"));

/** A package from npm that `scripts/setup.sh tests` installed. */
export const fromPeers = (name) => import(pathToFileURL(find.resolve(name)).href);
