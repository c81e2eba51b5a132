// What waits in the chats of the fake host until an answer is done.
import type { QueuedView } from "../bindings";
import { reply } from "./turn";
import type { World } from "./world";

const queueOf = (world: World, chat: string) => world.chats.find(({ id }) => id === chat)?.queue ?? [];

export function changeQueue(world: World, chat: string, change: (queue: QueuedView[]) => QueuedView[]): void {
  world.changeChat(chat, { queue: change(queueOf(world, chat)) });
}

export function wait(world: World, chat: string, text: string, attachments: number): void {
  changeQueue(world, chat, (queue) => [...queue, { id: world.nextId("q"), text, attachments }]);
}

/** Sends the first message that waits. */
export function sendFirst(world: World, chat: string): void {
  const [first, ...rest] = queueOf(world, chat);
  if (!first) return;
  world.changeChat(chat, { queue: rest });
  reply(world, chat, first.text);
}

/** Sends a message that waits, after the answer under way was stopped. */
export function sendNow(world: World, chat: string, message: string): void {
  const chosen = ({ id }: QueuedView) => id === message;
  changeQueue(world, chat, (queue) => [...queue.filter(chosen), ...queue.filter((one) => !chosen(one))]);
  if (!world.chats.find(({ id }) => id === chat)?.busy) sendFirst(world, chat);
  else {
    world.stopped.add(chat);
    world.sendAfterStop.add(chat);
  }
}
