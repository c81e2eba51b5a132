// `node tap.mjs FOLDER PROGRAM ARGUMENT…` stands between the application and a server: it passes every byte on as it is
// and keeps a copy of each direction in FOLDER, so that a test sees what was really on the wire.
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

const [folder, program, ...rest] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const server = spawn(program, rest, { stdio: ["pipe", "pipe", "inherit"] });

function pass(name, source, target) {
  source.on("data", (bytes) => {
    appendFileSync(join(folder, name), bytes);
    target.write(bytes);
  });
  source.on("end", () => target.end());
}

pass("from-host", process.stdin, server.stdin);
pass("from-server", server.stdout, process.stdout);
server.on("exit", (code) => process.exit(code ?? 1));
