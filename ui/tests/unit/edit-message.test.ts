// What becomes of a text that is being edited when its field is removed.
import { render } from "@testing-library/svelte";
import { expect, it } from "vitest";
import EditMessage from "../../src/views/chat/EditMessage.svelte";

/** An edit of "One" to this text, with what was sent of it and given back. */
async function edited(to: string) {
  const given: string[] = [];
  let answer: (taken: boolean) => void = () => undefined;
  const { container, unmount } = render(EditMessage, {
    text: "One",
    hint: "",
    done: "Save",
    send: () => new Promise<boolean>((resolve) => (answer = resolve)),
    lose: (text: string) => void given.push(text),
    close: () => undefined,
  });
  const field = container.querySelector("textarea");
  if (!field) throw new Error("no field");
  field.value = to;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  const press = (key: string) => field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  await Promise.resolve();
  return { given, press, unmount, answer: (taken: boolean) => answer(taken) };
}

it("gives_a_changed_text_back_and_no_other", async () => {
  for (const [text, back] of [
    ["Two", ["Two"]],
    ["One", []],
  ] as const) {
    const { given, unmount } = await edited(text);
    unmount();
    expect(given).toEqual(back);
  }
});

it("gives_nothing_back_that_the_user_gave_up", async () => {
  const { given, press, unmount } = await edited("Two");
  press("Escape");
  unmount();
  expect(given).toEqual([]);
});

it("gives_a_text_that_is_being_sent_back_once_it_is_refused", async () => {
  for (const [taken, back] of [
    [false, ["Two"]],
    [true, []],
  ] as const) {
    const { given, press, unmount, answer } = await edited("Two");
    press("Enter");
    unmount();
    expect(given).toEqual([]);
    answer(taken);
    await Promise.resolve();
    await Promise.resolve();
    expect(given).toEqual(back);
  }
});
