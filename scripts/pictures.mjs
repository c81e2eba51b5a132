// Takes the pictures of the documentation from the real application: both windows, light and dark, English and
// Chinese, each with the same small story in them; and every card, the rules and the ledger, from the built UI with
// invented questions and an invented past.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT, startDesktop } from "../tests/desktop/desktop.mjs";
import { css, role } from "../tests/desktop/locate.mjs";
import { Person } from "../tests/desktop/person.mjs";
import { words } from "../tests/desktop/words.mjs";
import { takeCards, takeViews } from "../ui/tests/browser/pictures.mjs";

const PICTURES = join(ROOT, "docs/pictures");
const LOOKS = [
  {
    name: "light",
    appearance: "light",
    language: "English",
    first: "What is the weather in Oslo?",
    then: "Remember that the tram leaves at nine",
  },
  {
    name: "dark",
    appearance: "dark",
    language: "English",
    first: "What is the weather in Oslo?",
    then: "Remember that the tram leaves at nine",
  },
  {
    name: "light-zh",
    appearance: "light",
    language: "简体中文",
    first: "奥斯陆的天气怎么样？",
    then: "记住电车九点开",
  },
  { name: "dark-zh", appearance: "dark", language: "简体中文", first: "奥斯陆的天气怎么样？", then: "记住电车九点开" },
];

async function take({ name, appearance, language, first, then }) {
  const desktop = await startDesktop(`pictures-${name}`);
  const picture = (window) => join(PICTURES, `${window}-${name}.png`);
  try {
    const app = await desktop.open();
    const person = new Person(app);
    await person.atMain();
    await app.click(role("button", words("settings")));
    await app.click(css("[data-testid=settings-look]"));
    await app.click(role("radio", words(appearance)));
    await app.click(role("radio", language));
    await app.click(css("nav button"));
    await person.say(first);
    await person.atCard("call_tool");
    await app.screenshot(picture("consent"));
    await person.allow("call_tool");
    await person.atMain();
    await app.find(css("[data-testid=send]"), { within: 30_000 });
    await person.say(then);
    await person.atCard("call_tool");
    await app.screenshot(picture("consent-destructive"));
    await person.atMain();
    await app.find(css("[data-testid=waiting-row], [data-state=waiting]"));
    await app.screenshot(picture("main"));
    await app.click(css("[data-testid=server-row]"));
    await app.find(css("[role=tab]"));
    await app.screenshot(picture("servers"));
  } finally {
    await desktop.stop();
  }
}

if (execFileSync("fc-list", [":lang=zh"]).length === 0) {
  throw new Error("No font here has Chinese letters, and half of the pictures need them: install fonts-noto-cjk.");
}
mkdirSync(PICTURES, { recursive: true });
for (const look of LOOKS) await take(look);
await takeCards(join(PICTURES, "cards"));
await takeViews(PICTURES);
