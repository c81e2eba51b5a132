import { render } from "@testing-library/svelte";
import { expect, it } from "vitest";
import RuleList from "../../src/features/rule/RuleList.svelte";
import type { RuleSummary } from "../../src/host/bindings";

const RULE: RuleSummary = {
  action: { action: "call_tool", tool: "search" },
  decision: "allow",
  when: [],
  scope: "chat",
  place: "Packing for \u202EOslo",
  expires_ms: null,
  binding: null,
};

function shown(rule: Partial<RuleSummary>): string {
  const { container } = render(RuleList, { title: "Rules", rules: [{ server: "notes", rule: { ...RULE, ...rule } }] });
  return container.querySelector("li .small")?.textContent?.trim() ?? "";
}

it("a_card_names_the_chat_or_workspace_a_rule_holds_in", () => {
  expect(shown({})).toContain("In the chat “Packing for ⟨U+202E⟩Oslo”");
  expect(shown({ place: "" })).toContain("In the chat “Untitled chat”");
  expect(shown({ scope: "workspace", place: "Website" })).toContain("In the workspace “Website”");
  expect(shown({ scope: "workspace", place: "" })).not.toContain("“”");
});

it("a_rule_whose_place_is_gone_or_that_holds_everywhere_says_its_scope", () => {
  expect(shown({ place: null })).toBe("This chat");
  expect(shown({ scope: "always", place: null })).toBe("Every chat");
});

it("a_rule_says_what_it_is_bound_to_where_that_is_not_what_is_accepted_today", () => {
  for (const [to, words] of [
    ["other_definition", "For another definition of the tool"],
    ["other_opening", "For a start or connection other than"],
    ["opening", "Only for the start or connection"],
  ] as const) {
    const rule = { ...RULE, binding: { to } };
    const { container, unmount } = render(RuleList, { title: "Rules", rules: [{ server: "notes", rule }] });
    expect(container.textContent).toContain(words);
    unmount();
  }
});
