import { afterEach, describe, expect, it } from "vitest";
import { transportName } from "../../src/features/serverPlace";
import { longState, shortState } from "../../src/features/serverState";
import type { ServerView, Wire } from "../../src/host/bindings";
import { overwriteGetLocale } from "../../src/paraglide/runtime";
import { isRunning } from "../../src/state/running.svelte";

const readyOver = (transport: Wire): ServerView => ({
  id: "s-1",
  name: "notes",
  place: {
    at: "address",
    url: "http://a.example/sse",
    origin: "http://a.example",
    transport: "auto",
    headers: [],
    proxy: null,
  },
  era: "auto",
  missing: [],
  sign_in: null,
  state: {
    state: "ready",
    revision: "2024-11-05",
    era: "legacy",
    transport,
    claimed_name: "notes",
    claimed_version: "1",
    instructions: null,
    capabilities: [],
    our_capabilities: [],
    since_ms: 0,
  },
  diagnosis: null,
  tool_count: 3,
  held_count: 0,
  listing_problem: null,
  instructions_held: false,
});

describe("a transport", () => {
  afterEach(() => overwriteGetLocale(() => "en"));

  // Shows SSE-008: where it is chosen, and on a server that turned out to speak nothing else.
  it("says_that_it_is_deprecated_wherever_it_is_named", () => {
    for (const [locale, mark] of [
      ["en", "deprecated"],
      ["zh-CN", "已弃用"],
    ] as const) {
      overwriteGetLocale(() => locale);
      expect(transportName("sse")).toContain(mark);
      expect(longState(readyOver("sse"))).toContain(mark);
      for (const other of ["streamable", "stdio"] as const) expect(longState(readyOver(other))).not.toContain(mark);
    }
  });
});

it("a_server_that_could_not_list_its_tools_is_not_said_to_have_none", () => {
  const listing_problem = { problem: "tools_not_listed", detail: "fetch failed" } as const;
  const server = { ...readyOver("stdio"), listing_problem, tool_count: 0 };
  expect(shortState(server)).toBe("tools not listed");
  expect(longState(server)).toMatch(/tools not listed$/);
  expect(shortState({ ...server, tool_count: 3 })).toBe("3 tools");
});

it("a_start_that_was_denied_without_a_request_says_why", () => {
  const why = { by_rule: /rule/, muted: /muted/, too_many_waiting: /too many/ } as const;
  for (const reason of ["by_rule", "muted", "too_many_waiting"] as const) {
    const server = { ...readyOver("stdio"), state: { state: "not_started", why: reason } as const };
    expect(shortState(server)).toBe("not started");
    expect(longState(server)).toMatch(why[reason]);
    expect(isRunning(server)).toBe(false);
  }
});

it("a_start_that_may_download_first_says_so", () => {
  const starting = (may_download: boolean) => ({
    ...readyOver("stdio"),
    state: { state: "starting", may_download } as const,
  });
  expect(longState(starting(true))).toBe("Starting · may be downloading first");
  expect(longState(starting(false))).toBe("Starting");
});
