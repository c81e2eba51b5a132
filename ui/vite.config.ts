import { paraglideVitePlugin } from "@inlang/paraglide-js";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** In these modules of `@codemirror/legacy-modes` a keyword is assigned as a property; one keyword is `constructor`. */
const KEYWORD_MODULE = /legacy-modes\/mode\/(?:clike|sql)\.js$/;

/**
 * The application freezes `Object.prototype`. To assign a property that the prototype has then throws, so keywords are
 * defined instead.
 */
const definedKeywords: Plugin = {
  name: "defined-keywords",
  transform(code, id) {
    if (!KEYWORD_MODULE.test(id)) return undefined;
    const defined = code.replace(
      "obj[words[i]] = true",
      "Object.defineProperty(obj, words[i], { value: true, enumerable: true })",
    );
    if (defined === code) this.error(`no keywords are assigned in ${id} any more`);
    return { code: defined, map: null };
  },
};

/**
 * In the build with the fake host each component adds its name to `globalThis.drawn` when it is created. A browser test
 * checks that its pages draw every component.
 */
const drawnComponents: Plugin = {
  name: "drawn-components",
  apply: "build",
  enforce: "post",
  transform(code, id) {
    const name = /\/src\/(?:.*\/)?(\w+)\.svelte$/.exec(id)?.[1];
    if (name === undefined) return undefined;
    // The function of a component that contains itself is called `Name_1`.
    const drawn = code.replace(
      /export default function \w+\(.*?\) \{/,
      `$& (globalThis.drawn ??= new Set()).add("${name}");`,
    );
    if (drawn === code) this.error(`no component is created in ${id}`);
    return { code: drawn, map: null };
  },
};

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
    definedKeywords,
    svelte(),
    mode === "fake" ? drawnComponents : [],
    svelteTesting(),
  ],
  clearScreen: false,
  optimizeDeps: { exclude: ["@codemirror/legacy-modes"] },
  server: { port: 5173, strictPort: true },
  build: {
    target: "safari16",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: { main: "index.html", consent: "consent.html" } },
  },
  test: {
    environment: "happy-dom",
    include: ["tests/unit/**/*.test.ts"],
    setupFiles: ["tests/unit/setup.ts"],
    // Milliseconds. The longest tests take 3 s on a busy machine; the limit is for those that never end.
    testTimeout: 30_000,
    // All test files of a worker share one page and one set of modules. Loading them for each file takes twice as long
    // as the tests.
    isolate: false,
  },
}));
