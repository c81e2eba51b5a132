import { describe, expect, it } from "vitest";
import type { ConnectionView, ModelView } from "../../src/host/bindings";
import { isNoPrice, priceToSend, tokensToSend } from "../../src/views/settings/amounts";
import { shownAmount } from "../../src/features/budget/amounts";
import { bySource, favouritesFirst, groups } from "../../src/views/settings/modelFacts";

const connection = (id: string, label: string): ConnectionView => ({
  id,
  label,
  wire: "chat_completions",
  base_url: `https://${id}.example/v1`,
  proxy: null,
  has_key: false,
  local: null,
  headers: [],
});

const model = (id: string, of: string, favourite = false): ModelView => ({
  id,
  label: id,
  kind: { kind: "remote", connection: of, base_url: "", model: `${id}-2026` },
  favourite,
  facts: {},
});

describe("what is known of a model", () => {
  it("stands_beside_the_one_who_says_it", () => {
    const said = bySource({
      context: { value: 8192, source: "server" },
      tools: { value: true, source: "catalogue" },
      images: { value: false, source: "user" },
    });
    expect(said.map(({ source }) => source)).toEqual(["user", "server", "catalogue"]);
    expect(said[1]?.facts).toEqual({ context: { value: 8192, source: "server" } });
    expect(bySource({})).toEqual([]);
  });
});

describe("the models in the settings", () => {
  const connections = [connection("work", "Work"), connection("home", "Home")];
  const models = [model("large", "work"), model("small", "work", true), model("tiny", "home")];

  it("stand_under_their_connection_with_favourites_first", () => {
    const shown = groups(connections, models, "").map(({ models: own }) => own.map(({ id }) => id));
    expect(shown).toEqual([["small", "large"], ["tiny"]]);
    expect(favouritesFirst(models).map(({ id }) => id)).toEqual(["small", "large", "tiny"]);
  });

  it("are_found_by_the_names_of_model_and_connection", () => {
    const found = (search: string) => groups(connections, models, search).flatMap(({ models: own }) => own);
    expect(found("WORK large").map(({ id }) => id)).toEqual(["large"]);
    expect(found("home.example").map(({ id }) => id)).toEqual(["tiny"]);
    expect(found("2026")).toHaveLength(3);
    expect(groups(connections, models, "nothing")).toEqual([]);
  });
});

describe("amounts that a user writes", () => {
  it("become_what_the_host_keeps", () => {
    expect(priceToSend("2,5")).toBe(2_500_000);
    expect(priceToSend("-1")).toBeNull();
    expect(priceToSend("10,000")).toBeNull();
    expect(["2,5", " ", "10,000", "-1"].map(isNoPrice)).toEqual([false, false, true, true]);
    expect(priceToSend("1e30")).toBe(4_294_967_295);
    expect(shownAmount(150_000)).toBe("0.15");
    expect(tokensToSend("131.072")).toBe(131_072);
    expect(tokensToSend("10,000")).toBe(10_000);
    for (const none of ["many", "", "0", "-5", "1e9", "1.5", "10,00"]) expect(tokensToSend(none)).toBeNull();
  });
});
