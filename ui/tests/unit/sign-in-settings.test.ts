// The form for how to sign in, while the host answers late.
import { cleanup, render } from "@testing-library/svelte";
import { flushSync, tick, type Component } from "svelte";
import { afterEach, expect, it } from "vitest";
import type { ServerView, SignInSettings as Settings } from "../../src/host/bindings";
import { Notices } from "../../src/state/notices.svelte";
import { setWindowState, type WindowState } from "../../src/state/window";
import SignInSettings from "../../src/views/servers/SignInSettings.svelte";

afterEach(cleanup);

/** What is set: a client with this id. */
const settings = (id: string): Settings => ({
  method: "page",
  client: { issuer: "https://as.example.com", id, port: null },
  bound: true,
  document: null,
  key: { algorithm: "ES256", id: null },
  company: null,
  token_file: null,
});

/** The form, opened twice: its first load waits, and its second one has brought the client "ours". */
async function openedTwice() {
  const loads: { answer: (loaded: Settings) => void; fail: (error: unknown) => void }[] = [];
  const serverSignInSettings = () =>
    new Promise<Settings>((answer, fail) => {
      loads.push({ answer, fail });
    });
  const notices = new Notices();
  const state = { projection: { host: { serverSignInSettings } }, notices } as unknown as WindowState;
  const inWindow: Component<{ server: ServerView }> = (anchor, props) => {
    setWindowState(state);
    return SignInSettings(anchor, props);
  };
  const server = { id: "s", sign_in: null } as unknown as ServerView;
  const { container } = render(inWindow, { server });
  const toggle = () => {
    container.querySelector("button")?.click();
    flushSync();
  };
  for (let time = 0; time < 3; time += 1) toggle();
  const [first, second] = loads;
  if (!first || !second || loads.length > 2) throw new Error(`${loads.length} loads`);
  second.answer(settings("ours"));
  await tick();
  const field = () => [...container.querySelectorAll("input")].find(({ type }) => type === "text");
  const write = (text: string) => {
    const input = field();
    if (!input) throw new Error("no field");
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  return { first, notices, write, value: () => field()?.value };
}

it("an_answer_to_an_earlier_load_replaces_nothing_that_was_loaded_or_typed_later", async () => {
  const { first, write, value } = await openedTwice();
  expect(value()).toBe("ours");
  write("typed");
  first.answer(settings("stale"));
  await tick();
  expect(value()).toBe("typed");
});

it("a_failure_of_an_earlier_load_closes_nothing_and_is_not_said", async () => {
  const { first, notices, value } = await openedTwice();
  first.fail(new Error("stale"));
  await tick();
  expect(value()).toBe("ours");
  expect(notices.list).toEqual([]);
});
