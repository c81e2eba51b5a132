import { expect, test } from "vitest";
import type { ServerView, ToolProfile } from "../../src/host/bindings";
import { isOn, profileOf } from "../../src/views/chat/toolSet";

const servers = ["a", "b", "c"].map((id) => ({ id }) as ServerView);
const tool = { server: "a", tool: "t" };
const profiles: ToolProfile[] = [
  { name: "One", servers: ["a"], tools_off: [tool] },
  { name: "Two", servers: ["a", "gone"], tools_off: [] },
];
const all = { servers_off: [], tools_off: [] };

test("a_server_that_is_not_in_the_set_of_a_chat_is_off", () => {
  expect(isOn(undefined, "a")).toBe(true);
  expect(isOn({ ...all, servers_off: ["a"] }, "a")).toBe(false);
  expect(isOn({ ...all, servers_only: ["b"] }, "a")).toBe(false);
  expect(isOn({ ...all, servers_only: ["a"], servers_off: ["a"] }, "a")).toBe(false);
});

test("the_profile_of_a_chat_is_the_one_with_the_same_servers_and_tools", () => {
  expect(profileOf(all, servers, profiles)).toBe("");
  expect(profileOf({ ...all, servers_off: ["a"] }, servers, profiles)).toBe(null);
  expect(profileOf({ ...all, servers_only: ["a"] }, servers, profiles)).toBe("Two");
  expect(profileOf({ ...all, servers_only: ["a"], tools_off: [tool] }, servers, profiles)).toBe("One");
  // A tool of a server that is off makes no difference.
  const elsewhere = { server: "b", tool: "t" };
  expect(profileOf({ ...all, servers_only: ["a"], tools_off: [elsewhere] }, servers, profiles)).toBe("Two");
  expect(profileOf({ ...all, servers_only: ["a", "b"] }, servers, profiles)).toBe(null);
});
