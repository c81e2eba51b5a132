import { render } from "@testing-library/svelte";
import { afterEach, expect, it, vi } from "vitest";
import CopyButton from "../../src/kit/CopyButton.svelte";
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

it("a_copy_that_the_clipboard_refuses_is_not_said_to_be_copied", async () => {
  class Item {
    constructor(readonly parts: Record<string, Promise<Blob>>) {}
  }
  const refuse = vi.fn(() => Promise.reject(new Error("not allowed")));
  vi.stubGlobal("ClipboardItem", Item);
  vi.stubGlobal("navigator", { clipboard: { writeText: refuse, write: refuse } });
  for (const text of [() => "now", () => Promise.resolve("later")]) {
    const { getByRole, unmount } = render(CopyButton, { text, label: "Copy", done: "Copied", failed: "Not copied" });
    getByRole("button").click();
    await vi.waitFor(() => expect(getByRole("button").title).toBe("Not copied"));
    unmount();
  }
  expect(refuse).toHaveBeenCalledTimes(2);
});

it("a_text_that_is_read_first_is_given_to_the_clipboard_at_the_click", async () => {
  const written: Record<string, Promise<Blob>>[] = [];
  class Item {
    constructor(readonly parts: Record<string, Promise<Blob>>) {
      written.push(parts);
    }
  }
  vi.stubGlobal("ClipboardItem", Item);
  vi.stubGlobal("navigator", { clipboard: { write: () => Promise.resolve() } });
  let answer: (text: string) => void = () => undefined;
  const text = () => new Promise<string>((resolve) => (answer = resolve));
  const { getByRole } = render(CopyButton, { text, label: "Copy", done: "Copied", failed: "Not copied" });
  getByRole("button").click();
  expect(written).toHaveLength(1);
  answer("all of it");
  expect(await (await written[0]?.["text/plain"])?.text()).toBe("all of it");
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
