import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ChatId } from "../../src/host/bindings";
import { MessagePreparation } from "../../src/views/chat/messagePreparation";

const chat = "a" as ChatId;
const other = "b" as ChatId;
const prepare = vi.fn<(chat: ChatId | null) => Promise<void>>();

beforeEach(() => {
  vi.useFakeTimers();
  prepare.mockReset().mockResolvedValue();
});
afterEach(() => vi.useRealTimers());

test("a message is prepared once while it is written, and again for each chat and each message", () => {
  const preparation = new MessagePreparation(prepare);
  preparation.written(null);
  preparation.written(chat);
  preparation.written(chat);
  preparation.written(other);
  preparation.written(chat);
  preparation.sent();
  preparation.written(chat);
  expect(prepare.mock.calls.map(([of]) => of)).toEqual([null, chat, other, chat, chat]);
});

test("what is written for longer than the host keeps it is prepared again", () => {
  const preparation = new MessagePreparation(prepare);
  preparation.written(chat);
  vi.advanceTimersByTime(29_000);
  preparation.written(chat);
  expect(prepare).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(2_000);
  preparation.written(chat);
  expect(prepare).toHaveBeenCalledTimes(2);
});

test("a host that cannot prepare disturbs nobody who writes", async () => {
  prepare.mockRejectedValue(new Error("no"));
  new MessagePreparation(prepare).written(chat);
  await vi.runAllTimersAsync();
  expect(prepare).toHaveBeenCalledTimes(1);
});
