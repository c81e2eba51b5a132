import { describe, expect, it } from "vitest";
import type { ChatFindHit } from "../../src/host/bindings";
import { Find } from "../../src/views/chat/find/find.svelte";
import { patternOf } from "../../src/views/chat/find/marks";

const hit = (position: number, count = 1, place: ChatFindHit["place"] = "message"): ChatFindHit => ({
  entry: `e-${position}`,
  position,
  place,
  count,
});
const at = ({ current }: Find) => current && [current.position, current.nth];
const found = (hits: ChatFindHit[], position = 0, text = "x") => {
  const find = new Find();
  find.take(text, { hits, complete: true }, position);
  return find;
};

describe("the places of a text in a chat", () => {
  it("begins_at_what_is_in_sight_and_goes_round", () => {
    const find = found([hit(1), hit(5, 2), hit(9)], 4);
    expect(at(find)).toEqual([5, 0]);
    expect(find.number).toBe(2);
    const steps = [1, 1, 1, -1, -1].map((by) => {
      find.step(by);
      return at(find);
    });
    expect(steps).toEqual([
      [5, 1],
      [9, 0],
      [1, 0],
      [9, 0],
      [5, 1],
    ]);
  });

  it("begins_at_the_last_place_where_none_is_further_down", () => {
    expect(at(found([hit(1), hit(2)], 7))).toEqual([2, 0]);
    expect(found([], 7).current).toBeUndefined();
  });

  it("keeps_its_place_while_the_chat_grows", () => {
    const find = found([hit(1), hit(5)], 4);
    expect(find.take("x", { hits: [hit(1), hit(3), hit(5), hit(8)], complete: true }, 8)).toBe(false);
    expect([at(find), find.number]).toEqual([[5, 0], 3]);
    expect(find.take("x", { hits: [hit(1), hit(8)], complete: true }, 0)).toBe(true);
    expect(at(find)).toEqual([8, 0]);
  });

  it("names_the_folded_part_of_the_current_place_alone", () => {
    const find = found([hit(1, 1, "result"), hit(2)]);
    expect([find.folded("e-1"), find.folded("e-2")]).toEqual(["result", undefined]);
    find.step(1);
    expect(find.folded("e-1")).toBeUndefined();
  });
});

describe("the pattern that marks a text", () => {
  it("means_the_letters_and_not_an_expression", () => {
    expect("A.B a.b aXb".match(patternOf("a.b") ?? /-/)).toEqual(["A.B", "a.b"]);
    expect("price: $5 (or 5$)?".match(patternOf("$5 (or 5$)?") ?? /-/)).toEqual(["$5 (or 5$)?"]);
    expect("[x]-{y}/z|\\^".match(patternOf("[X]-{Y}/Z|\\^") ?? /-/)).toEqual(["[x]-{y}/z|\\^"]);
  });

  it("takes_any_space_between_words", () => {
    expect("one\n  two".match(patternOf(" one two ") ?? /-/)).toEqual(["one\n  two"]);
    expect(patternOf("  ")).toBeNull();
  });
});
