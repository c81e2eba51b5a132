// The arguments of a call while they are typed: the control under the caret stays, and shows what is sent.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accept, card, consent, passed, replies } from "./cards.mjs";

const limit = (page) => card(page).getByLabel("limit", { exact: true });

/** The card of a call with an argument that is a number or null, and is null. */
const nullable = (act) =>
  consent("call_tool", async (page) => {
    await card(page).waitFor();
    await page.evaluate(() => {
      const { fake } = globalThis;
      const [{ about, ...rest }] = fake.questions;
      const properties = { limit: { anyOf: [{ type: "integer" }, { type: "null" }] } };
      const tool = { ...about.tool, definition: { inputSchema: { type: "object", properties } } };
      fake.questions = [{ ...rest, id: "q-nullable", about: { ...about, tool, arguments: { limit: null } } }];
      fake.tell();
    });
    await limit(page).waitFor();
    await passed(page);
    await act(page);
  });

/** Replaces the argument by keyboard. */
const type = async (page, text) => {
  await limit(page).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
};
const sent = async (page) => {
  await accept(page).click();
  await page.waitForFunction(() => globalThis.fake.replies.length === 1);
  return (await replies(page))[0].answer.arguments;
};

describe("an argument of more than one type", () => {
  it("is_typed_to_its_end_in_the_control_where_it_was_begun", () =>
    nullable(async (page) => {
      await type(page, "25");
      assert.equal(await limit(page).inputValue(), "25");
      assert.equal(await limit(page).evaluate((it) => it === document.activeElement), true);
      assert.deepEqual(await sent(page), { limit: 25 });
    }));

  it("is_typed_as_a_list_and_as_an_object", () =>
    nullable(async (page) => {
      await type(page, "[]");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.type('{"a": "b"}');
      assert.equal(await limit(page).inputValue(), '[{"a": "b"}]');
      assert.deepEqual(await sent(page), { limit: [{ a: "b" }] });
    }));

  for (const [name, undo] of [
    ["its_own_change", "Undo the change to limit"],
    ["all_changes", "Undo my changes"],
  ])
    it(`shows_what_is_sent_after_undoing_${name}`, () =>
      nullable(async (page) => {
        await type(page, "2");
        // The control keeps the focus, so that nothing but the change of the value can end the typing.
        await page.getByRole("button", { name: undo }).evaluate((it) => it.click());
        await page.waitForFunction(() => document.activeElement?.value === "null");
        assert.equal(await page.getByText("edited by you").count(), 0);
        assert.equal(await sent(page), null);
      }));
});
