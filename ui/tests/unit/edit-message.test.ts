// The field in which a text of a chat is edited.
import { cleanup, render } from "@testing-library/svelte";
import { afterEach, expect, it } from "vitest";
import { TextEdit } from "../../src/state/edits.svelte";
import EditMessage from "../../src/views/chat/EditMessage.svelte";

afterEach(cleanup);

/** The field of an edit. */
function shown(edit: TextEdit) {
  let closed = 0;
  let answer: (taken: boolean) => void = () => undefined;
  const { container, unmount } = render(EditMessage, {
    edit,
    hint: "",
    done: "Save",
    send: () => new Promise<boolean>((resolve) => (answer = resolve)),
    close: () => void closed++,
  });
  const field = container.querySelector("textarea");
  if (!field) throw new Error("no field");
  const write = (text: string) => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const press = (key: string) => field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const answered = async (taken: boolean) => {
    answer(taken);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { field, write, press, unmount, answered, closed: () => closed };
}

it("has_what_was_typed_when_it_is_shown_again", () => {
  const edit = new TextEdit("m", "One");
  const first = shown(edit);
  expect(first.field.value).toBe("One");
  first.write("Two");
  first.unmount();
  expect(shown(edit).field.value).toBe("Two");
});

it("takes_the_focus_when_it_is_opened_and_not_when_it_is_shown_again", () => {
  const edit = new TextEdit("m", "One");
  const first = shown(edit);
  expect(document.activeElement).toBe(first.field);
  first.unmount();
  const second = shown(edit);
  expect(document.activeElement).not.toBe(second.field);
});

it("closes_once_its_text_is_taken_and_stays_when_it_is_refused", async () => {
  for (const [taken, closings] of [
    [false, 0],
    [true, 1],
  ] as const) {
    const edit = new TextEdit("m", "One");
    const { write, press, answered, closed } = shown(edit);
    write("Two");
    press("Enter");
    expect([edit.isSaving, closed()]).toEqual([true, 0]);
    await answered(taken);
    expect([edit.isSaving, closed(), edit.text]).toEqual([false, closings, "Two"]);
    cleanup();
  }
});
