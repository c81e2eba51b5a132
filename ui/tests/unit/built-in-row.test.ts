// The line of a call of Vestibule's own tools.
import { render } from "@testing-library/svelte";
import { expect, it } from "vitest";
import type { BuiltInCall } from "../../src/host/bindings";
import BuiltInRow from "../../src/views/chat/BuiltInRow.svelte";

it("says_how_many_bytes_of_a_result_were_read", () => {
  const outcome = { end: "read", server: "s", server_name: "files", tool: "read_log", text: "天".repeat(100) };
  const call = { call: "c", tool: "read_result", arguments: {}, outcome, words: "" } as unknown as BuiltInCall;
  const { container } = render(BuiltInRow, { call });
  expect(container.querySelector(".end")?.textContent).toBe("300\u00A0B");
});
