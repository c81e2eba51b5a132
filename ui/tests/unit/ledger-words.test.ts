import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LedgerView } from "../../src/host/bindings";
import { actionName, outcomeOf } from "../../src/views/ledger/words";

const CRATES = join(import.meta.dirname, "../../../src-tauri/crates");
/** What an action of the ledger is done to, as its name begins. */
const ABOUT =
  "chat|connection|everything|fields|form|issuer|ledger|log|model|page|prompt|questions|resource|roots|rows|rule|sampling|server|task|tool";
const ACTION = new RegExp(`"((?:${ABOUT})\\.(?!js"|py")[a-z_]+)"`, "g");

/** Every action that the host's sources name. */
function actionsInSources(): string[] {
  const files = ["consent", "host", "servers", "store", "policy"].flatMap((crate) =>
    readdirSync(join(CRATES, crate, "src"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".rs"))
      .map((file) => join(crate, "src", file)),
  );
  const found = files.flatMap((file) => [...readFileSync(join(CRATES, file), "utf8").matchAll(ACTION)]);
  return [...new Set(found.map(([, action]) => action as string))].sort();
}

describe("the ledger", () => {
  it("names_every_action_in_words", () => {
    const actions = actionsInSources();
    expect(actions).toContain("rows.quarantine");
    expect(actions.length).toBeGreaterThan(30);
    expect(actions.filter((action) => actionName(action) === action)).toEqual([]);
  });

  it("marks_what_was_allowed_and_did_not_work", () => {
    const toneOf = (ended: string) =>
      outcomeOf({ kind: "outcome", decision: null, body: { ended } } as unknown as LedgerView).tone;
    expect(["failed", "timed out", "server ended"].map(toneOf)).toEqual(["no", "no", "no"]);
    expect(["answered", "sent", "stopped"].map(toneOf)).toEqual(["plain", "plain", "plain"]);
  });

  it("tells_what_the_user_denied_from_what_was_denied_for_them", () => {
    const said = (decision: string, action = "form.send") =>
      outcomeOf({ kind: "decision", action, decision, body: {} } as unknown as LedgerView);
    const all = [
      said("denied"),
      said("not now"),
      said("muted"),
      said("too many"),
      said("muted", "questions.mute"),
      said("heard again", "questions.mute"),
    ];
    expect(new Set(all.map(({ words }) => words)).size).toBe(all.length);
    expect(all.map(({ tone }) => tone)).toEqual(["no", "no", "no", "no", "plain", "plain"]);
  });
});
