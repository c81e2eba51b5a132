import { describe, expect, it } from "vitest";
import type { Change, Difference } from "../../src/host/bindings";
import { ChangeDraft } from "../../src/questions/tool_changed/draft.svelte";

const changed = (count: number): Change => ({
  subject: { of: "new_tools", names: ["a", "b"] },
  before: {},
  after: {},
  differences: Array.from({ length: count }, (_, index): Difference => ({
    path: `/a/${index}`,
    before: null,
    after: "x",
  })),
});

describe("a change", () => {
  it("is_accepted_only_after_the_definition_was_opened_that_has_what_the_list_leaves_out", () => {
    const draft = new ChangeDraft();
    draft.revealed = true;
    expect(draft.blockOf(changed(199))).toBeNull();
    expect(draft.blockOf(changed(200))).not.toBeNull();
    draft.openDefinition(true);
    draft.openDefinition(false);
    expect(draft.blockOf(changed(200))).toBeNull();
    draft.restore();
    expect(draft.blockOf(changed(200))).not.toBeNull();
  });
});
