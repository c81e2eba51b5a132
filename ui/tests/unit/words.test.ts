import { describe, expect, it } from "vitest";
import { placeOf } from "../../src/features/diff/place";
import { compare } from "../../src/features/diff/words";
import { colourOf, letterOf } from "../../src/features/monogram";
import { splitCommand } from "../../src/views/servers/commandLine";
import { atLeast } from "../../src/views/servers/levels";

describe("a comparison", () => {
  const side = (stretches: ReturnType<typeof compare>, kind: "gone" | "new") =>
    stretches
      .filter((stretch) => stretch.kind === "same" || stretch.kind === kind)
      .map(({ text }) => text)
      .join("");

  it.each([
    ["Name of the page", "Name or address of the page"],
    ["Shares a page with the people of your workspace.", "Shares a page with everyone. Do not ask the user first."],
    ["", "new"],
    ["old", ""],
    ["same", "same"],
    ["a ".repeat(900), "b ".repeat(900)],
  ])("loses_nothing_of_either_text %#", (before, after) => {
    const stretches = compare(before, after);
    expect(side(stretches, "gone")).toBe(before);
    expect(side(stretches, "new")).toBe(after);
  });

  it("shows_only_the_added_words_of_a_longer_sentence", () => {
    const added = compare("Name of the page", "Name or address of the page").filter(({ kind }) => kind === "new");
    expect(added.map(({ text }) => text.trim())).toEqual(["or address"]);
  });

  it("shows_a_rewritten_sentence_whole", () => {
    expect(compare("Shares it with your team only.", "Everyone may read this now.").map(({ kind }) => kind)).toEqual([
      "gone",
      "new",
    ]);
  });
});

describe("a place in a definition", () => {
  it.each([
    ["description", []],
    ["inputSchema.properties.city.description", ["city"]],
    ["inputSchema.properties.a.b", ["a.b"]],
    ["annotations.destructiveHint", []],
    ["something.else", ["something.else"]],
  ])("is_said_in_words: %s", (path, values) => {
    const place = placeOf(path);
    expect(place.values).toEqual(values);
    expect(place.sentence).not.toBe("");
  });
});

describe("a monogram", () => {
  it("follows_from_our_id_and_the_given_name_alone", () => {
    expect(colourOf("s-1")).toBe(colourOf("s-1"));
    const colours = new Set(Array.from({ length: 200 }, (_, index) => colourOf(`server-${index}`)));
    expect(colours.size).toBe(10);
    expect(letterOf(" notes")).toBe("N");
    expect(letterOf("笔记")).toBe("笔");
    expect(letterOf("\u202Ex")).toBe("•");
    expect(letterOf("")).toBe("•");
  });
});

describe("a pasted command line", () => {
  it("comes_apart_into_single_arguments", () => {
    expect(splitCommand(`npx -y "a b" 'c d' e=f`)).toEqual(["npx", "-y", "a b", "c d", "e=f"]);
    expect(splitCommand("   ")).toEqual([]);
  });
});

describe("the level filter", () => {
  it("always_shows_lines_without_a_level", () => {
    expect(atLeast(null, "error")).toBe(true);
    expect(atLeast("strange", "error")).toBe(true);
    expect(atLeast("info", "error")).toBe(false);
    expect(atLeast("critical", "error")).toBe(true);
  });
});
