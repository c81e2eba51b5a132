// A field that is saved when the user leaves it, also where a key takes it away.
import { cleanup, render } from "@testing-library/svelte";
import { afterEach, expect, it } from "vitest";
import SavedField from "../../src/kit/SavedField.svelte";

afterEach(cleanup);

/** The field with "1" saved, which takes digits. */
function shown() {
  const saved: string[] = [];
  const { container, unmount } = render(SavedField, {
    label: "Limit",
    value: "1",
    complaint: (text: string) => (/^\d+$/.test(text) ? undefined : "no number"),
    save: (text: string) => new Promise<boolean>(() => void saved.push(text)),
  });
  const field = container.querySelector("input");
  if (!field) throw new Error("no field");
  const write = (text: string) => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  return { saved, unmount, write, leave: () => field.dispatchEvent(new Event("change", { bubbles: true })) };
}

it("saves_what_was_typed_where_the_field_is_taken_away", () => {
  const { saved, unmount, write } = shown();
  write("2");
  unmount();
  expect(saved).toEqual(["2"]);
});

it("saves_nothing_where_the_field_is_taken_away_unchanged_or_with_a_text_that_does_not_fit", () => {
  for (const text of [null, "much"]) {
    const { saved, unmount, write } = shown();
    if (text !== null) write(text);
    unmount();
    expect(saved).toEqual([]);
  }
});

it("saves_once_what_is_being_saved_when_the_field_is_taken_away", () => {
  const { saved, unmount, write, leave } = shown();
  write("2");
  leave();
  unmount();
  expect(saved).toEqual(["2"]);
});
