import { render } from "@testing-library/svelte";
import { afterEach, expect, it, vi } from "vitest";
import Carried from "../../src/questions/frame/Carried.svelte";
import CopyText from "../../src/features/text/CopyText.svelte";

afterEach(() => vi.unstubAllGlobals());

it("copied_text_is_what_was_shown", () => {
  const writeText = vi.fn(() => Promise.resolve());
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  const { getByRole } = render(CopyText, { text: "echo safe\u202E\u200B # ok", label: "Copy" });
  getByRole("button").click();
  expect(writeText).toHaveBeenCalledWith("echo safe⟨U+202E⟩⟨U+200B⟩ # ok");
});

it("names_of_a_server_and_a_tool_are_shown_escaped_in_our_sentence", () => {
  const values = [{ server: "mail\u202E", tool: `read\u200B${"x".repeat(500)}`, at: "/to", value: "a" }];
  const { container } = render(Carried, { values });
  const said = container.querySelector(".from")?.textContent ?? "";
  expect(said).toContain("mailU+202E");
  expect(said).toContain("readU+200B");
  expect(said).not.toMatch(/[\u202E\u200B]/);
  expect(said.length).toBeLessThan(200);
});
