// The search in a registry: what is asked, and which answers count.
import { describe, expect, it } from "vitest";
import type { GalleryEntry, GalleryPage } from "../../src/host/bindings";
import { GallerySearch } from "../../src/views/servers/gallerySearch.svelte";
import { leftOutWords, publisherWords } from "../../src/views/servers/galleryWords";

const entry = (name: string): GalleryEntry => ({
  name,
  version: "1.0.0",
  title: null,
  description: "",
  publisher: { publisher: "unknown" },
  deprecated: false,
  status_message: null,
  repository: null,
  website: null,
  packages: [],
  servers: { servers: [], skipped: [], omitted: [], effects: {} },
});
const page = (names: string[], next: string | null = null): GalleryPage => ({
  host: "registry.example.com",
  entries: names.map(entry),
  next,
  left_out: { deleted: 1, repeated: 0, unreadable: 0, beyond: 0 },
});

/** A registry whose answers come when a test says so. */
function registry() {
  const asked: [string, string | null][] = [];
  const answers: ((answer: GalleryPage | Promise<never>) => void)[] = [];
  const search = new GallerySearch((words, cursor) => {
    asked.push([words, cursor]);
    return new Promise((resolve) => answers.push(resolve));
  });
  const names = () => search.entries.map(({ name }) => name);
  return { asked, answers, search, names };
}

describe("the search in a registry", () => {
  it("asks_nothing_before_it_begins_and_nothing_after_the_last_page", async () => {
    const { asked, search } = registry();
    await search.more();
    expect(asked).toEqual([]);
  });

  it("adds_the_next_page_of_the_same_words_without_what_is_there", async () => {
    const { asked, answers, search, names } = registry();
    const first = search.begin(" notes ");
    answers[0]?.(page(["a/1", "a/2"], "a/2:1.0.0"));
    await first;
    const second = search.more();
    answers[1]?.(page(["a/2", "a/3"]));
    await second;
    expect(asked).toEqual([
      ["notes", null],
      ["notes", "a/2:1.0.0"],
    ]);
    expect(names()).toEqual(["a/1", "a/2", "a/3"]);
    expect([search.next, search.leftOut.deleted]).toEqual([null, 2]);
  });

  it("forgets_an_answer_that_comes_after_a_newer_search", async () => {
    const { answers, search, names } = registry();
    const old = search.begin("old");
    const fresh = search.begin("fresh");
    answers[1]?.(page(["a/fresh"]));
    await fresh;
    answers[0]?.(page(["a/old"]));
    await old;
    expect(names()).toEqual(["a/fresh"]);
  });

  it("keeps_what_it_has_where_the_next_page_fails", async () => {
    const { answers, search, names } = registry();
    const first = search.begin("");
    answers[0]?.(page(["a/1"], "a/1:1.0.0"));
    await first;
    const failing = search.more();
    answers[1]?.(Promise.reject({ problem: "registry_slow", host: "registry.example.com", seconds: 20 }));
    await failing;
    expect(names()).toEqual(["a/1"]);
    expect([search.trouble?.problem, search.next]).toEqual(["registry_slow", "a/1:1.0.0"]);
  });
});

describe("the words of a registry's list", () => {
  it("name_the_owner_of_the_namespace_as_a_value_of_others", () => {
    const { values, sentence } = publisherWords({ publisher: "domain", domain: "example.com" });
    expect(values).toEqual(["example.com"]);
    expect(sentence).not.toContain("example.com");
    expect(publisherWords({ publisher: "unknown" }).values).toEqual([]);
  });

  it("say_what_is_not_shown_only_where_something_is_not", () => {
    const none = { deleted: 0, repeated: 0, unreadable: 0, beyond: 0 };
    expect(leftOutWords(none)).toBe("");
    expect(leftOutWords({ ...none, deleted: 2, unreadable: 3 })).toMatch(/2.*3/);
  });
});
