// One press on an answer. It counts when it began after the guard of its card had passed. Where the guard began again
// meanwhile (the window was moved, sized or came to the front; a question joined the card), the press was rightly
// without effect and is made again; a press that is lost for any other reason fails its story.
import { waitFor } from "./wait.mjs";

/** A window that has just come up is placed, sized and focused: each begins the guard again. */
const MOST_ROUNDS = 6;
/** What is answered is worked on, on a busy machine; in milliseconds. */
const PATIENTLY = { within: 45_000 };
/** What the driver says of an element whose document or card is gone. */
const GONE = ["stale element reference", "no such element", "no such window"];

/** In the page, at one moment: whether this card is still there, and where the guard is. */
function look(card) {
  const bar = /** @type {HTMLElement | null} */ (document.querySelector("[data-testid=guard]"));
  return { there: card?.isConnected ?? false, phase: bar?.dataset.phase, round: bar?.dataset.round };
}

async function seen(app, card) {
  try {
    return await app.execute(look, card);
  } catch (error) {
    if (GONE.includes(error.code)) return { there: false };
    throw error;
  }
}

/** Answers `card` with `press`, which presses once; returns when the card has gone. */
export async function answerOnce(app, card, what, press) {
  for (let left = MOST_ROUNDS; left > 0; left -= 1) {
    const before = await waitFor(
      `the guard to pass before ${what}`,
      async () => {
        const now = await seen(app, card);
        return (!now.there || now.phase === "passed") && now;
      },
      PATIENTLY,
    );
    if (!before.there) throw new Error(`the card went before ${what}`);
    await press();
    const after = await waitFor(
      `${what}, after one press`,
      async () => {
        const now = await seen(app, card);
        return (!now.there || now.round !== before.round) && now;
      },
      PATIENTLY,
    );
    if (!after.there) return;
  }
  throw new Error(`the guard began again ${MOST_ROUNDS} times before ${what}`);
}
