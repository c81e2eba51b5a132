// Holds the list of pages against the source, so that a screen or a card that is added is looked at: each kind of
// question there is has a card among them, and each component is drawn on one of the pages.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, it } from "node:test";

const kinds = new Set();
const drawn = new Set();

/** Remembers which cards and components the page drew. The build with the fake host lists the components. */
export async function remember(page) {
  const cards = await page.locator("[data-testid=card]").evaluateAll((all) => all.map(({ dataset }) => dataset.kind));
  cards.forEach((kind) => kinds.add(kind));
  for (const name of await page.evaluate(() => [...globalThis.drawn])) drawn.add(name);
}

/** To be called after the tests that visit every page. */
export function nothingIsForgotten() {
  describe("the list of pages", () => {
    it("has_a_card_for_each_kind_of_question", () => {
      const bindings = readFileSync("src/host/bindings.ts", "utf8");
      const [, about] = /export type QuestionBody =(.*?);\n/s.exec(bindings);
      const declared = [...about.matchAll(/"kind": "(\w+)"/g)].map(([, kind]) => kind);
      assert.ok(declared.length >= 12, about);
      const bodies = readdirSync("src/questions", { withFileTypes: true })
        .filter((entry) => existsSync(`src/questions/${entry.name}/Body.svelte`))
        .map(({ name }) => name);
      assert.deepEqual(bodies.toSorted(), declared.toSorted(), "each kind of question has its own body");
      const forgotten = declared.filter((kind) => !kinds.has(kind));
      assert.deepEqual(forgotten, []);
    });

    it("shows_each_component", () => {
      // The test above looks at the bodies of the cards, which are named by their folders.
      const components = readdirSync("src", { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".svelte") && basename(file) !== "Body.svelte")
        .map((file) => basename(file, ".svelte"));
      assert.equal(new Set(components).size, components.length, "two components have one name");
      const forgotten = components.filter((name) => !drawn.has(name));
      assert.deepEqual(forgotten, []);
    });
  });
}
