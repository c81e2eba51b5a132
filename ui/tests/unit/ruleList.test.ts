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
