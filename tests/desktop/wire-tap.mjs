// Stands before a server over stdio and writes down what it is sent: `node wire-tap.mjs FILE COMMAND ARG…`.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [file, command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] });
process.stdin.on("data", (bytes) => {
  appendFileSync(file, bytes);
  server.stdin.write(bytes);
});
process.stdin.on("end", () => server.stdin.end());
server.on("exit", (code) => process.exit(code ?? 1));
