// The order of the servers in lists.
import { describe, expect, it } from "vitest";
import type { ServerView } from "../../src/host/bindings";
import { inOrder, moved } from "../../src/state/serverOrder";

const servers = (...ids: string[]) => ids.map((id) => ({ id }) as ServerView);
const ids = (all: ServerView[]) => all.map(({ id }) => id);

describe("the order of servers", () => {
  it("is_the_users_and_new_ones_come_last", () => {
    expect(ids(inOrder(servers("a", "b", "c", "d"), ["c", "gone", "a"]))).toEqual(["c", "a", "b", "d"]);
    expect(ids(inOrder(servers("b", "a"), []))).toEqual(["b", "a"]);
  });

  it("changes_by_one_place_and_ends_at_the_ends", () => {
    expect(moved(servers("a", "b", "c"), "b", -1)).toEqual(["b", "a", "c"]);
    expect(moved(servers("a", "b", "c"), "b", 1)).toEqual(["a", "c", "b"]);
    expect(moved(servers("a", "b"), "a", -1)).toBeNull();
    expect(moved(servers("a", "b"), "b", 1)).toBeNull();
    expect(moved(servers("a", "b"), "gone", 1)).toBeNull();
  });
});
