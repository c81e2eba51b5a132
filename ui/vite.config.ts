import { paraglideVitePlugin } from "@inlang/paraglide-js";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { defineConfig } from "vitest/config";

// Two entry points, one per window. Nothing is inlined: the content security policy of the app allows neither inline
// scripts nor fonts as data.
export default defineConfig(({ mode }) => ({
  plugins: [
    // Before tests the catalogue is compiled once; the plugin would only keep the test run from ending.
    process.env.VITEST
      ? []
      : paraglideVitePlugin({
          project: "./project.inlang",
          outdir: "./src/paraglide",
          strategy: ["globalVariable", "baseLocale"],
        }),
    svelte(),
    svelteTesting(),
  ],
  clearScreen: false,
  server: { port: 5173, strictPort: true },
  build: {
    target: "safari16",
    // The tests find components by their names in the build with the fake host.
    minify: mode === "fake" ? false : undefined,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: { main: "index.html", consent: "consent.html" } },
  },
  test: {
    environment: "happy-dom",
    include: ["tests/unit/**/*.test.ts"],
  },
}));
