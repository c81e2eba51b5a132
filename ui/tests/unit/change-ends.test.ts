import { describe, expect, it } from "vitest";
import { ChangeEnds } from "../../src/state/changeEnds";

describe("the ends of changes", () => {
  it("reach_their_caller_whether_they_come_before_or_after_it", async () => {
    const ends = new ChangeEnds();
    ends.take("early", { end: "done" });
    expect(await ends.of("early")).toEqual({ end: "done" });
    const late = ends.of("late");
    ends.take("late", { end: "refused" });
    expect(await late).toEqual({ end: "refused" });
  });

  it("are_lost_for_questions_that_wait_no_more_when_everything_is_read_again", async () => {
    const ends = new ChangeEnds();
    const [gone, waits] = [ends.of("gone"), ends.of("waits")];
    ends.loseAllBut(["waits"]);
    expect(await gone).toBeNull();
    ends.take("waits", { end: "done" });
    expect(await waits).toEqual({ end: "done" });
  });
});
