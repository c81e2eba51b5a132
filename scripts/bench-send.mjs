// How long a message takes from the key that sends it to the end of the request to the model: the real application with
// its own window, a server with tools and a chat that grows, on a display of its own. Milliseconds by the clock of the
// computer, as a Markdown table.
//   node scripts/bench-send.mjs; MESSAGES (40) is how many are sent, VESTIBULE_BINARY the application
import { atDesk, EVERYTHING } from "../tests/desktop/everything.mjs";
import { css, role } from "../tests/desktop/locate.mjs";
import { says } from "../tests/desktop/model-endpoint.mjs";
import { Key } from "../tests/desktop/webdriver.mjs";
import { words } from "../tests/desktop/words.mjs";

const MESSAGES = Number(process.env.MESSAGES ?? 40);
/** The first message opens the connection to the model and reads its facts; it is a line of its own. */
const WARM = 1;

await atDesk("bench-send", async ({ app, person, model }) => {
  await person.pasteServers({ mcpServers: { everything: EVERYTHING } });
  await person.startServer("everything");
  await person.atMain();
  await app.click(role("button", new RegExp(`^${words("new_chat")}`)));
  const took = [];
  for (let number = 0; number < MESSAGES; number += 1) {
    const message = `Message ${number}: what is the weather like where the tram ends?`;
    model.queue(says(`Answer ${number}. `.repeat(20)));
    await person.atMain();
    await app.fill(css("[data-testid=composer]"), message);
    await app.execute(() => {
      addEventListener("keydown", () => (globalThis.pressedAt = Date.now()), { capture: true, once: true });
    });
    const arrived = model.arrival();
    await app.press(Key.enter);
    const at = await arrived;
    took.push(at - (await app.execute(() => globalThis.pressedAt)));
    await person.hears(new RegExp(`Answer ${number}\\.`));
    await app.find(css("[data-testid=composer]:not(:disabled)"));
  }
  const [first, later] = [took.slice(0, WARM), took.slice(WARM).toSorted((a, b) => a - b)];
  const at = (share) => later[Math.min(later.length - 1, Math.floor(later.length * share))];
  console.log("| message | median, ms | p90, ms | most, ms |\n|---|---|---|---|");
  console.log(`| first | ${first[0]} | | |`);
  console.log(`| ${later.length} later | ${at(0.5)} | ${at(0.9)} | ${later.at(-1)} |`);
});
