// Formulas are drawn some a frame, so that a text of thousands does not stop the window.

/** After how many milliseconds of a frame no other formula is begun. */
const MOST_MS = 6;

type Draw = (mathml: (tex: string, display: boolean) => Element | null) => void;

const waiting = new Set<Draw>();
let isRunning = false;

/** Draws a formula when its turn has come; the result takes it back. */
export function inTurn(draw: Draw): () => void {
  waiting.add(draw);
  if (!isRunning) void run();
  return () => waiting.delete(draw);
}

async function run(): Promise<void> {
  isRunning = true;
  try {
    const { mathml } = await import("./mathml");
    while (waiting.size > 0) {
      const began = await new Promise<number>((done) => requestAnimationFrame(() => done(performance.now())));
      for (const draw of waiting) {
        waiting.delete(draw);
        draw(mathml);
        if (performance.now() - began > MOST_MS) break;
      }
    }
  } catch {
    // The formulas stay the text they are, and the next one tries again.
    waiting.clear();
  } finally {
    isRunning = false;
  }
}
