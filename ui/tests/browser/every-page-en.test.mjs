import assert from "node:assert/strict";
import { it } from "node:test";
import { running } from "./cards.mjs";
import { everyPage, moving } from "./every-page.mjs";
import { EN, visit } from "./look.mjs";
import { nothingIsForgotten } from "./whole.mjs";

everyPage("en");

it("sees_motion_if_nothing_else_was_asked_for", () =>
  visit(
    "consent.html",
    { scene: "call_tool", guard: "held", context: { reducedMotion: "no-preference" } },
    EN,
    async (page) => {
      await running(page);
      assert.notDeepEqual(await page.evaluate(moving), []);
    },
  ));

nothingIsForgotten();
