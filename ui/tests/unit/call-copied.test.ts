import { expect, it } from "vitest";
import { callMarkdown } from "../../src/features/call/copied";
import type { CallBody } from "../../src/host/bindings";

const CALL = {
  call: "one",
  called_as: "notes__read",
  server: null,
  server_name: "notes",
  tool: "read",
  arguments: { which: "milk" },
  edited: false,
  because: [],
};

it("a_copied_call_has_its_arguments_and_its_result_and_no_text_ends_its_fence", () => {
  const result = {
    content: [
      { type: "text", text: "a ```` fence" },
      { type: "image", mime: "image/png", base64: "aGk=" },
    ],
    structured: null,
    failed: false,
    misfits: [],
    unchecked: null,
    cut_bytes: 0,
    model_cut_bytes: 0,
  };
  const call = { ...CALL, state: "answered", elapsed_ms: 3, result } as CallBody;
  expect(callMarkdown(call)).toBe(
    [
      "**notes · read**",
      "Arguments:",
      '```json\n{\n  "which": "milk"\n}\n```',
      "Result:",
      "`````\na ```` fence\n`````",
      "```\nimage/png\n```",
    ].join("\n\n"),
  );
});

it("a_copied_call_says_that_it_was_denied", () => {
  const call = { ...CALL, state: "refused", by: "person", reason: null } as CallBody;
  expect(callMarkdown(call).split("\n\n").at(-1)).toBe("You denied it");
});
