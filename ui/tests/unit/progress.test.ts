import { render } from "@testing-library/svelte";
import { expect, it } from "vitest";
import type { CallBody } from "../../src/host/bindings";
import CallRow from "../../src/features/call/CallRow.svelte";

const running: CallBody = {
  call: "one",
  called_as: "notes__read",
  server: null,
  server_name: "notes",
  tool: "read",
  arguments: {},
  edited: false,
  because: [],
  state: "running",
  since_ms: 0,
  progress: { done: 1, total: 4, message: "<b>half</b>\u202e done" },
};

// PS-006.
it("shows_the_words_of_a_progress_report_as_text_with_hidden_characters_visible", () => {
  const { container } = render(CallRow, { call: running, entry: "e", at_ms: 0, review: () => undefined });
  const message = container.querySelector(".message");
  expect(message?.textContent).toMatch(/<b>half<\/b>.*U\+202E.* done/);
  expect(message?.querySelector("b")).toBeNull();
  expect(container.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow")).toBe("25");
});
