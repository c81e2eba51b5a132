import { describe, expect, it } from "vitest";
import { pointerOf } from "../../src/features/schema/addresses";
import { ArgumentsDraft } from "../../src/features/schema/arguments.svelte";
import { fieldsOf, keyOf, type Field } from "../../src/features/schema/fields";
import { same, valueAt, withoutValue, withValue } from "../../src/features/schema/values";

const SCHEMA = {
  type: "object",
  properties: {
    page: { type: "string", minLength: 1 },
    count: { type: "integer", minimum: 1, maximum: 9 },
    ratio: { type: ["number", "null"] },
    deep: { type: "boolean" },
    mode: { enum: ["a", "b"] },
    tags: { type: "array", items: { type: "string" }, maxItems: 2 },
    options: { type: "object", properties: { since: { type: "string" } }, required: ["since"] },
    place: { $ref: "#/$defs/place" },
    mixed: { type: "array" },
    unset: { type: "string" },
  },
  required: ["page"],
  $defs: { place: { type: "object", properties: { city: { type: "string" } } } },
};

const VALUE = {
  page: "Packing",
  count: 3,
  ratio: 0.5,
  deep: false,
  mode: "b",
  tags: ["x", "y"],
  options: { since: "2024" },
  place: { city: "Oslo" },
  mixed: [{ a: 1 }, 2],
  extra: "not in the schema",
};

const flat = (fields: Field[]): Field[] => fields.flatMap((field) => [field, ...flat(field.fields)]);

describe("a form from a schema", () => {
  it("has_a_field_for_everything_that_will_be_sent", () => {
    const shown = new Map(flat(fieldsOf(SCHEMA, VALUE)).map((field) => [keyOf(field.path), field]));
    for (const name of Object.keys(VALUE)) expect(shown.get(keyOf([name]))?.value).toEqual(valueAt(VALUE, [name]));
    const kinds = Object.fromEntries(fieldsOf(SCHEMA, VALUE).map(({ name, kind }) => [name, kind]));
    expect(kinds).toEqual({
      page: "text",
      count: "integer",
      ratio: "number",
      deep: "boolean",
      mode: "choice",
      tags: "list",
      options: "object",
      place: "object",
      mixed: "json",
      unset: "text",
      extra: "text",
    });
    expect(shown.get(keyOf(["place", "city"]))?.kind).toBe("text");
  });

  it("offers_a_choice_once_that_its_schema_lists_twice", () => {
    const schema = { properties: { notify: { enum: ["owner", "owner", 1, "1", 1, true, "true"] } } };
    const [field] = fieldsOf(schema, { notify: "owner" });
    expect(field?.kind).toBe("choice");
    expect(field?.choices).toEqual(["owner", 1, "1", true, "true"]);
  });

  it("is_not_fooled_by_a_value_of_another_kind_than_declared", () => {
    const [field] = fieldsOf({ properties: { page: { type: "string" } } }, { page: { sub: 1 } });
    expect(field?.kind).toBe("object");
    const [text] = fieldsOf({ properties: { count: { type: "integer" } } }, { count: "many" });
    expect(text?.kind).toBe("json");
  });

  it.each([null, 7, "x", [], { properties: 3, required: "page" }, { properties: { page: null } }])(
    "survives_a_schema_that_is_none: %j",
    (schema) => {
      expect(fieldsOf(schema, { page: "x" }).find(({ name }) => name === "page")?.value).toBe("x");
    },
  );

  it("follows_references_without_end_only_a_few_steps", () => {
    const schema = { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { $ref: "#/$defs/a" } } };
    expect(fieldsOf(schema, { a: "x" })[0]?.value).toBe("x");
  });
});

describe("the arguments while they are edited", () => {
  it("are_sent_as_shown_when_nothing_was_touched", () => {
    const draft = new ArgumentsDraft(SCHEMA, VALUE, null);
    expect(draft.edited).toBe(false);
    expect(draft.fit).toBe(true);
    expect(draft.value).toBe(VALUE);
  });

  it("come_back_unchanged_through_every_field", () => {
    const draft = new ArgumentsDraft(SCHEMA, VALUE, null);
    for (const field of flat(draft.fields)) if (field.present) draft.set(field.path, field.value);
    expect(draft.value).toEqual(VALUE);
    expect(draft.edited).toBe(false);
  });

  it("mark_what_the_person_changed_and_can_go_back", () => {
    const draft = new ArgumentsDraft(SCHEMA, VALUE, null);
    draft.set(["options", "since"], "2025");
    expect(draft.edited).toBe(true);
    expect(draft.changedByPerson(["options"])).toBe(true);
    expect(draft.changedByPerson(["page"])).toBe(false);
    draft.undo(["options", "since"]);
    expect(draft.edited).toBe(false);
    draft.remove(["extra"]);
    expect(draft.value).not.toHaveProperty("extra");
    draft.undoAll();
    expect(draft.value).toEqual(VALUE);
  });

  it("do_not_fit_while_an_edit_breaks_a_limit", () => {
    const draft = new ArgumentsDraft(SCHEMA, VALUE, null);
    draft.set(["count"], 12);
    expect(draft.complaints.has(keyOf(["count"]))).toBe(true);
    expect(draft.fit).toBe(false);
    draft.set(["count"], 9);
    expect(draft.fit).toBe(true);
    draft.keep(["count"], "nine");
    expect(draft.fit).toBe(false);
  });

  it("fit_again_once_what_does_not_parse_is_left_out_with_the_group_around_it", () => {
    const draft = new ArgumentsDraft(SCHEMA, VALUE, null);
    for (const leaveOut of [() => draft.remove(["options"]), () => draft.set(["options"], { since: "2025" })]) {
      draft.keep(["options", "limit"], "x");
      draft.keep(["optional"], "x");
      leaveOut();
      expect([...draft.unparsed.keys()]).toEqual([keyOf(["optional"])]);
      draft.remove(["optional"]);
      expect(draft.fit).toBe(true);
    }
  });

  it("keep_what_does_not_parse_at_its_item_when_one_before_it_is_removed", () => {
    const draft = new ArgumentsDraft({}, { all: [1, 2, 3, 4], other: [5, 6] }, null);
    draft.keep(["all", 3], "four");
    draft.keep(["all", 2], "three");
    draft.keep(["all", 0], "one");
    draft.keep(["other", 1], "six");
    draft.remove(["all", 1]);
    expect(new Map(draft.unparsed)).toEqual(
      new Map([
        [keyOf(["all", 2]), "four"],
        [keyOf(["all", 1]), "three"],
        [keyOf(["all", 0]), "one"],
        [keyOf(["other", 1]), "six"],
      ]),
    );
    draft.remove(["all", 1]);
    draft.remove(["all", 1]);
    draft.remove(["all", 0]);
    draft.remove(["other"]);
    expect(draft.value).toEqual({ all: [] });
    expect(draft.fit).toBe(true);
  });

  it("keep_what_does_not_parse_yet_when_an_item_is_added", () => {
    const draft = new ArgumentsDraft({}, { all: [1, 2] }, null);
    draft.keep(["all", 1], "two");
    draft.add(["all"], 0);
    expect(draft.value).toEqual({ all: [1, 2, 0] });
    expect([...draft.unparsed]).toEqual([[keyOf(["all", 1]), "two"]]);
    draft.undo(["all"]);
    expect(draft.fit).toBe(true);
  });

  it("may_be_answered_as_the_model_wrote_them_even_where_they_do_not_fit", () => {
    const draft = new ArgumentsDraft(SCHEMA, { page: "" }, null);
    expect(draft.complaints.size).toBe(1);
    expect(draft.fit).toBe(true);
  });

  it("follow_the_json_view_and_refuse_what_is_no_object", () => {
    const draft = new ArgumentsDraft(SCHEMA, VALUE, null);
    draft.typeJson('{"page": "other"}');
    expect(draft.value).toEqual({ page: "other" });
    for (const broken of ["{", "[1]", "null", '"x"']) {
      draft.typeJson(broken);
      expect(draft.jsonBroken).toBe(true);
      expect(draft.fit).toBe(false);
    }
    expect(draft.value).toEqual({ page: "other" });
  });

  it("hold_the_answer_back_until_long_values_were_opened", () => {
    const draft = new ArgumentsDraft(SCHEMA, { page: `${"quiet ".repeat(400)}rm -rf ~`, tags: ["a"] }, null);
    expect(draft.unseen).toBe(1);
    expect(draft.closed(["page"])).toBe(true);
    draft.reveal(["page"]);
    expect(draft.unseen).toBe(0);
    expect(new ArgumentsDraft({}, { many: Array.from({ length: 50 }, (_, index) => index) }, null).unseen).toBe(1);
  });

  it("hold_the_answer_back_until_many_values_of_some_length_were_opened", () => {
    const some = (words: string) => Array.from({ length: 20 }, () => words);
    const lists = (words: string) =>
      Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`list ${index}`, some(words)]));
    const value = { ...lists("quiet ".repeat(110)), last: [...some("quiet ".repeat(110)).slice(1), "the secret"] };
    const draft = new ArgumentsDraft({}, value, null);
    expect(draft.closed([])).toBe(true);
    expect(draft.closed(["last"])).toBe(true);
    expect(new ArgumentsDraft({}, lists("short"), null).unseen).toBe(0);
  });

  it("do_not_hold_the_answer_back_for_a_long_value_that_was_left_out", () => {
    const long = "quiet ".repeat(400);
    const draft = new ArgumentsDraft(SCHEMA, { page: long, tags: [long, "short", long] }, null);
    draft.remove(["page"]);
    expect(draft.unseen).toBe(2);
    draft.remove(["tags"]);
    expect(draft.unseen).toBe(0);
    draft.undo(["page"]);
    expect(draft.closed(["page"])).toBe(true);
    expect(draft.unseen).toBe(1);
  });

  it("tell_what_differs_from_the_last_allowed_call", () => {
    const draft = new ArgumentsDraft(SCHEMA, VALUE, { ...VALUE, page: "Other", count: undefined });
    expect(draft.lastValue(["page"])).toEqual({ value: "Other" });
    expect(draft.lastValue(["deep"])).toBeUndefined();
    expect(new ArgumentsDraft(SCHEMA, VALUE, null).lastValue(["page"])).toBeUndefined();
  });

  it("say_when_a_number_can_not_be_shown_exactly", () => {
    expect(new ArgumentsDraft({}, { id: JSON.parse("12345678901234567890") }, null).inexact).toBe(true);
    expect(new ArgumentsDraft({}, { id: 1234567890 }, null).inexact).toBe(false);
  });
});

describe("a field whose value is being typed", () => {
  const LIMIT = { properties: { limit: { anyOf: [{ type: "integer" }, { type: "null" }] } } };
  const only = (draft: ArgumentsDraft) => {
    const [field] = draft.fields;
    if (!field) throw new Error("no field");
    return field;
  };

  it("keeps_its_kind_until_the_value_is_changed_elsewhere", () => {
    const draft = new ArgumentsDraft(LIMIT, { limit: null }, null);
    for (const value of [2, 25, "text", [], { a: 1 }]) {
      draft.type(only(draft), value);
      expect(only(draft)).toMatchObject({ kind: "json", value });
    }
    draft.set(["limit"], 3);
    expect(only(draft).kind).toBe("number");
    draft.type(only(draft), 30);
    draft.undoAll();
    expect(only(draft)).toMatchObject({ kind: "json", value: null });
  });

  it("stays_a_text_when_it_becomes_one_of_the_choices", () => {
    const draft = new ArgumentsDraft({ properties: { mode: { enum: ["a", "ab"] } } }, { mode: "x" }, null);
    draft.type(only(draft), "a");
    expect(only(draft).kind).toBe("text");
  });

  it("keeps_the_list_around_it", () => {
    const draft = new ArgumentsDraft({}, { all: [null, 1] }, null);
    const [item] = only(draft).fields;
    if (!item) throw new Error("no item");
    draft.type(item, {});
    expect(only(draft).kind).toBe("list");
    expect(only(draft).fields.map(({ kind }) => kind)).toEqual(["json", "number"]);
    draft.undo(["all", 0]);
    expect(only(draft).kind).toBe("list");
  });
});

describe("values by path", () => {
  it("are_changed_in_a_copy", () => {
    const value = { a: [1, { b: 2 }], c: 3 };
    expect(withValue(value, ["a", 1, "b"], 4)).toEqual({ a: [1, { b: 4 }], c: 3 });
    expect(withoutValue(value, ["a", 0])).toEqual({ a: [{ b: 2 }], c: 3 });
    expect(withoutValue(value, ["a", 1, "b"])).toEqual({ a: [1, {}], c: 3 });
    expect(value).toEqual({ a: [1, { b: 2 }], c: 3 });
  });

  it("are_the_same_whatever_the_order_of_names", () => {
    expect(same({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
    expect(same({ a: 1 }, { a: "1" })).toBe(false);
  });

  it("never_reach_into_prototypes", () => {
    expect(valueAt({}, ["constructor", "name"])).toBeUndefined();
  });
});

describe("text that points somewhere", () => {
  it.each([
    ["https://login.example.net/a?b", { kind: "address", host: "login.example.net" }],
    ["/etc/passwd", { kind: "path" }],
    ["~/notes", { kind: "path" }],
    ["C:\\Windows", { kind: "path" }],
    ["and/or", undefined],
    ["Packing 2024", undefined],
  ])("is_recognised: %s", (text, pointer) => expect(pointerOf(text)).toEqual(pointer));
});
