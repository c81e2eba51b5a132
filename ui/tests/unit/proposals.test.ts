import { describe, expect, it } from "vitest";
import { Proposals } from "../../src/features/attached/proposals.svelte";

const answers = (...values: string[]) => Promise.resolve({ values });

describe("Proposals for a field", () => {
  it("keep_the_marked_one_when_a_newer_answer_has_it_elsewhere", async () => {
    const proposals = new Proposals();
    await proposals.ask("", () => answers("Sales", "Marketing", "Support"));
    proposals.walk(1);
    proposals.walk(1);
    expect(proposals.marked).toBe("Marketing");
    await proposals.ask("Mar", () => answers("Marketing"));
    expect(proposals.marked).toBe("Marketing");
    await proposals.ask("Su", () => answers("Support"));
    expect(proposals.marked).toBeUndefined();
  });

  it("are_those_of_the_newest_question_whichever_answer_comes_first", async () => {
    const proposals = new Proposals();
    let late: (value: { values: string[] }) => void = () => {};
    const first = proposals.ask("M", () => new Promise((resolve) => (late = resolve)));
    await proposals.ask("Ma", () => answers("Marketing"));
    late({ values: ["Monday"] });
    await first;
    expect(proposals.values).toEqual(["Marketing"]);
  });

  it("are_gone_once_hidden_and_after_an_answer_that_failed", async () => {
    const proposals = new Proposals();
    await proposals.ask("", () => answers("one"));
    await proposals.ask("o", () => Promise.reject(new Error("no completion")));
    expect(proposals.values).toEqual([]);
    const asked = proposals.ask("", () => answers("one"));
    proposals.hide();
    await asked;
    expect(proposals.values).toEqual([]);
  });

  it("name_a_value_once_that_the_server_proposes_twice", async () => {
    const proposals = new Proposals();
    await proposals.ask("", () => answers("Sales", "Support", "Sales"));
    expect(proposals.values).toEqual(["Sales", "Support"]);
  });

  it("are_walked_around_the_ends_and_leave_out_what_is_written", async () => {
    const proposals = new Proposals();
    await proposals.ask("b", () => answers("a", "b", "c"));
    proposals.walk(-1);
    expect(proposals.marked).toBe("c");
    proposals.walk(1);
    expect(proposals.marked).toBe("a");
  });
});
