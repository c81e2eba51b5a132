// What becomes of the open edit of a message that waits, when the message is sent or removed.
import { expect, it } from "vitest";
import { Edits } from "../../src/state/edits.svelte";

/** The open edit of a message that waits in the chat "a", with this text typed. */
function typed(text: string) {
  const edits = new Edits();
  edits.begin("q", "One", "a");
  const edit = edits.of("q");
  if (!edit) throw new Error("no edit");
  edit.text = text;
  return { edits, edit };
}

const WAITING = [{ id: "q", text: "One", attachments: 0 }];

it("keeps_an_edit_while_its_message_waits", () => {
  const { edits, edit } = typed("Two");
  expect(edits.takeOrphans("a", WAITING)).toEqual([]);
  expect(edits.takeOrphans("b", [])).toEqual([]);
  expect(edits.of("q")).toBe(edit);
});

it("gives_a_changed_text_back_once_and_no_other", () => {
  const { edits } = typed("Two");
  expect(edits.takeOrphans("a", [])).toEqual(["Two"]);
  expect(edits.takeOrphans("a", [])).toEqual([]);
  expect(typed("One").edits.takeOrphans("a", [])).toEqual([]);
});

it("gives_a_text_that_is_being_saved_back_once_it_is_refused", () => {
  const { edits, edit } = typed("Two");
  edit.isSaving = true;
  expect(edits.takeOrphans("a", [])).toEqual([]);
  edit.isSaving = false;
  expect(edits.takeOrphans("a", [])).toEqual(["Two"]);
});

it("ends_no_edit_that_was_begun_after_the_one_that_was_saved", () => {
  const { edits, edit } = typed("Two");
  edits.end(edit);
  edits.begin("q", "One", "a");
  edits.end(edit);
  expect(edits.of("q")?.text).toBe("One");
});

it("leaves_edits_of_sent_messages_and_summaries_alone", () => {
  const edits = new Edits();
  edits.begin("e", "One");
  expect(edits.takeOrphans("a", [])).toEqual([]);
  expect(edits.of("e")?.original).toBe("One");
});
