// A person without a mouse: what has the focus is what the Tab key reached, and an answer is a key pressed on a button
// that was reached. It never clicks and never sets a value, so a card that needs a mouse fails its story.
import { css } from "./locate.mjs";
import { answerOnce } from "./press.mjs";
import { waitFor } from "./wait.mjs";
import { Key } from "./webdriver.mjs";

const CARD = "[data-testid=card]";
const ACCEPT = "[data-testid=answer-accept]";
const SKIP = "[data-testid=answer-cancel]";
/** More stops than the longest card has. */
const MOST_STOPS = 90;
/** A question may come from a server that is still being started, in milliseconds. */
const PATIENTLY = { within: 45_000 };

export class Keyboard {
  #app;

  constructor(app) {
    this.#app = app;
  }

  /** Looks at the consent window until a card of this kind can be answered; returns the card. */
  async atCard(kind) {
    await this.#app.toWindow("with the questions", ({ url }) => url.includes("consent"), PATIENTLY);
    const card = await this.#app.find(css(`${CARD}[data-kind=${kind}]`), PATIENTLY);
    await waitFor(`the guard of ${kind} to pass`, () =>
      this.#app.execute(() => document.querySelector("[data-testid=guard]")?.getAttribute("data-phase") === "passed"),
    );
    return card;
  }

  /** Presses Tab until what has the focus matches `selector`. */
  async reach(selector) {
    for (let stop = 0; stop < MOST_STOPS; stop += 1) {
      if (await this.#focused(selector)) return;
      await this.#app.press(Key.tab);
    }
    throw new Error(`the keyboard does not reach ${selector}`);
  }

  #focused(selector) {
    return this.#app.execute((wanted) => document.activeElement?.matches(wanted) === true, selector);
  }

  /** Writes into a field in place of what it held. */
  async replace(selector, words) {
    await this.reach(selector);
    await this.#app.press(Key.control, "a");
    await this.#app.write(words);
    await waitFor(
      `${selector} to hold what was written`,
      async () =>
        (await this.#app.execute(() => /** @type {HTMLInputElement} */ (document.activeElement).value)) === words,
    );
  }

  /** Presses what has the focus. */
  enter() {
    return this.#app.press(Key.enter);
  }

  /** Presses a key several times, for a group of options. */
  async repeat(key, times) {
    for (let time = 0; time < times; time += 1) await this.#app.press(key);
  }

  /** Gives the permitting answer of the card that is shown: goes to its button, then presses it. Returns what the card said. */
  async accept(kind) {
    const card = await this.atCard(kind);
    const said = await this.#app.textOf(card);
    await answerOnce(this.#app, card, `${kind} to be accepted`, async () => {
      const [button] = await waitFor("the answer to be enabled", async () => {
        const found = await this.#app.all(css(`${ACCEPT}:not(:disabled)`));
        return found.length > 0 && found;
      });
      await this.#app.press(Key.alt, "a");
      if (await this.#app.execute((it) => document.activeElement === it, button)) await this.#app.press(Key.enter);
    });
    return said;
  }

  /** Opens everything that the card that is shown folds, and that has to be seen before it can be accepted. */
  async readAll(kind) {
    await this.atCard(kind);
    const folded = async () => (await this.#app.all(css("[data-rest]"))).length;
    for (let left = await folded(); left > 0; left = await folded()) {
      await this.reach("[data-rest]");
      await this.enter();
      await waitFor(`fewer folded parts than ${left}`, async () => (await folded()) < left);
    }
  }

  /** Says no to the card that is shown. */
  async decline(kind) {
    await answerOnce(this.#app, await this.atCard(kind), `${kind} to be declined`, () => this.#app.press(Key.alt, "d"));
  }

  /** Skips the card that is shown: neither a yes nor a no. */
  async cancel(kind) {
    await answerOnce(this.#app, await this.atCard(kind), `${kind} to be skipped`, async () => {
      await this.reach(SKIP);
      await this.#app.press(Key.enter);
    });
  }

  /** Hides the window of the card that is shown; the card goes on waiting. */
  async hide(kind) {
    await this.atCard(kind);
    await this.#app.press(Key.escape);
  }
}
