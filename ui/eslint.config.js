import js from "@eslint/js";
import globals from "globals";
import svelte from "eslint-plugin-svelte";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  {
    ignores: [
      "dist/",
      "dist-fake/",
      "src/paraglide/",
      "src/host/bindings.ts",
      "src/host/commands.ts",
      "project.inlang/",
    ],
  },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      // Text from elsewhere is shown as text, always.
      "svelte/no-at-html-tags": "error",
      // `{" "}` keeps the space between two inline parts.
      "svelte/no-useless-mustaches": "off",
      "no-restricted-imports": [
        "error",
        { patterns: [{ group: ["@tauri-apps/*"], message: "Only src/host speaks to Tauri." }] },
      ],
      // `satisfies never` at the end of a switch, and reading a signal to depend on it.
      "@typescript-eslint/no-unused-expressions": "off",
      "no-control-regex": "off",
    },
  },
  { files: ["src/host/**"], rules: { "no-restricted-imports": "off" } },
  { files: ["tests/browser/**", "*.config.*"], languageOptions: { globals: { ...globals.node } } },
  {
    files: ["tests/browser/**"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "CallExpression[callee.property.name='waitForFunction'] > .arguments:first-child[async=true]",
          message: "Playwright does not await what this function returns: a promise ends the wait at once.",
        },
      ],
    },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { extraFileExtensions: [".svelte"], parser: ts.parser, svelteConfig } },
  },
);
