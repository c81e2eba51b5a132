// How long a message takes from the key that sends it to the end of the request to the model: the real application with
// its own window, a server with tools and a chat that grows, on a display of its own. Milliseconds by the clock of the
// computer, as a Markdown table.
//   node scripts/bench-send.mjs; MESSAGES (40) is how many are sent in one chat, VESTIBULE_BINARY the application
import { atDesk, EVERYTHING } from "../tests/desktop/everything.mjs";
import { css, role } from "../tests/desktop/locate.mjs";
import { says } from "../tests/desktop/model-endpoint.mjs";
import { Key } from "../tests/desktop/webdriver.mjs";
import { words } from "../tests/desktop/words.mjs";

const MESSAGES = Number(process.env.MESSAGES ?? 40);
const NEW_CHATS = 10;

await atDesk("bench-send", async ({ app, person, model }) => {
  await person.pasteServers({ mcpServers: { everything: EVERYTHING } });
  await person.startServer("everything");
  await person.atMain();
  const newChat = () => app.click(role("button", new RegExp(`^${words("new_chat")}`)));
  let number = 0;
  /** Sends a message and waits for the answer; milliseconds from the key to the end of the request. */
  const send = async () => {
    number += 1;
    model.queue(says(`Answer ${number}. `.repeat(20)));
    await app.fill(css("[data-testid=composer]"), `Message ${number}: what is the weather like where the tram ends?`);
    await app.execute(() => {
      addEventListener("keydown", () => (globalThis.pressedAt = Date.now()), { capture: true, once: true });
    });
    const arrived = model.arrival();
    await app.press(Key.enter);
    const at = await arrived;
    const took = at - (await app.execute(() => globalThis.pressedAt));
    await person.hears(new RegExp(`Answer ${number}\\.`));
    await app.find(css("[data-testid=composer]:not(:disabled)"));
    return took;
  };
  console.log("| message | median, ms | p90, ms | most, ms |\n|---|---|---|---|");
  await newChat();
  console.log(row("the first, which opens the connection", [await send()]));
  const later = [];
  while (later.length < MESSAGES - 1) later.push(await send());
  console.log(row(`the ${later.length} that follow in its chat`, later));
  const first = [];
  for (let chat = 0; chat < NEW_CHATS; chat += 1) {
    await newChat();
    first.push(await send());
  }
  console.log(row(`the first of ${NEW_CHATS} other new chats`, first));
});

function row(name, took) {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return `| ${name} | ${at(0.5)} | ${at(0.9)} | ${sorted.at(-1)} |`;
}
