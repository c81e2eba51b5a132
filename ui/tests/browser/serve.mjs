// Serves the built fake-host UI, and axe beside it, under the content security policy of the app.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

/** The app's policy; `tauri.conf.json` holds the same words. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: vestibule-media:; media-src data:; font-src 'self'; " +
  "connect-src ipc: http://ipc.localhost; base-uri 'none'; form-action 'none'; frame-src 'none'; frame-ancestors 'none'; " +
  "object-src 'none'; worker-src 'none'; manifest-src 'none'";

const ROOT = fileURLToPath(new URL("../../dist-fake", import.meta.url));
/** The path at which axe is served. */
export const AXE = "/assets/axe.js";
const OTHERS = new Map([[AXE, createRequire(import.meta.url).resolve("axe-core/axe.min.js")]]);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2" };

/** Starts serving; resolves to the address and a way to stop. */
export async function serve() {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    try {
      const body = await readFile(OTHERS.get(path) ?? join(ROOT, path));
      response.writeHead(200, {
        "content-type": TYPES[extname(path)] ?? "application/octet-stream",
        "content-security-policy": POLICY,
        // The names of these files change with their content.
        "cache-control": path.startsWith("/assets/") ? "max-age=31536000, immutable" : "no-cache",
      });
      response.end(body);
    } catch {
      response.writeHead(path === "/favicon.ico" ? 204 : 404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done()));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    address: `http://127.0.0.1:${port}`,
    stop: () => new Promise((done) => server.close(done)),
  };
}
