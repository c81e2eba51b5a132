import { describe, expect, it } from "vitest";
import { lookOf } from "../../src/fields/choices";

const options = (...labels: string[]) => labels.map((label, index) => ({ key: String(index), label }));

describe("a choice in a field", () => {
  it("stands_side_by_side_only_where_all_of_it_fits_on_a_line", () => {
    expect(lookOf(options("yes", "no"))).toBe("beside");
    expect(lookOf(options("yes", "no", "Leave empty"))).toBe("beside");
    expect(lookOf(options("The first of two long options", "The second of them"))).toBe("below");
    expect(lookOf(options("a", "b", "c", "d", "e"))).toBe("below");
  });

  it("counts_a_chinese_character_as_two_letters", () => {
    expect(lookOf(options("欧洲的数据中心", "美国的数据中心"))).toBe("beside");
    expect(lookOf(options("欧洲的第一数据中心", "美国的第一数据中心"))).toBe("below");
  });

  it("is_a_list_that_opens_where_there_are_many_and_ours_does_not_count", () => {
    const seven = options(..."abcdefg");
    expect(lookOf(seven)).toBe("below");
    expect(lookOf([...seven, { key: "left", label: "Leave empty", ours: true }])).toBe("below");
    expect(lookOf(options(..."abcdefgh"))).toBe("list");
  });
});
