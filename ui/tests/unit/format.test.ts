// Sentences, lists and terms follow the punctuation of the language: full-width punctuation has its space in itself.
import { afterEach, describe, expect, it } from "vitest";
import { bracketed, duration, listed, sentences, size, spaced, termed } from "../../src/features/text/format";
import { beginningOf } from "../../src/features/schema/arguments.svelte";
import { overwriteGetLocale } from "../../src/paraglide/runtime";

afterEach(() => overwriteGetLocale(() => "en"));

describe("words beside each other", () => {
  it("have_a_space_between_them_unless_the_punctuation_is_full_width", () => {
    expect(spaced("Last time:")).toBe("Last time: ");
    expect(spaced("上次：")).toBe("上次：");
    expect(sentences("At least 2.", false, "At most 4.")).toBe("At least 2. At most 4.");
    expect(sentences("至少 2 个。", "最多 4 个。")).toBe("至少 2 个。最多 4 个。");
    expect(sentences(false, "One.")).toBe("One.");
  });

  it("have_the_separators_of_the_language", () => {
    overwriteGetLocale(() => "en");
    expect([listed(["a", "b"]), termed("Folder"), `no${bracketed("3")}`]).toEqual(["a, b", "Folder: ", "no (3)"]);
    overwriteGetLocale(() => "zh-CN");
    expect([listed(["甲", "乙"]), termed("文件夹"), `无${bracketed("3")}`]).toEqual(["甲、乙", "文件夹：", "无（3）"]);
  });
});

describe("a number with a unit", () => {
  it("stays_on_one_line", () => {
    const measured = [duration(240), duration(1_500), duration(83_000), size(12), size(1_500), size(2_500_000)];
    expect(measured).toEqual([
      "240\u00A0ms",
      "1.5\u00A0s",
      "1\u00A0min 23\u00A0s",
      "12\u00A0B",
      "1.5\u00A0kB",
      "2.5\u00A0MB",
    ]);
  });
});

describe("the beginning of a long value", () => {
  it("does_not_end_with_a_space_that_the_value_has_in_its_middle", () => {
    const text = "word ".repeat(200);
    expect(beginningOf(text)).toMatch(/word$/);
    expect(beginningOf("short ")).toBe("short ");
    expect(beginningOf(" ".repeat(2_000)).length).toBeGreaterThan(0);
  });
});
