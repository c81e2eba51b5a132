import { expect, it } from "vitest";
import { copyOf } from "../../src/views/servers/copyOf";

it("gives a copy the first name that no server has", () => {
  const servers = [{ name: "notes" }, { name: "notes 2" }, { name: "notes 4" }];
  expect(copyOf("notes", servers)).toBe("notes 3");
  expect(copyOf("diary", servers)).toBe("diary 2");
});
