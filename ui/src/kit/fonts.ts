// The fonts of a window. Drawn before they are there, a card moves its buttons when they come: the words of other fonts are
// wider, and the line under the buttons breaks.

const FAMILIES = ["Inter Variable", "Inter beside Chinese", "JetBrains Mono Variable"];
/** How long to wait for them, in milliseconds. Without them the fonts of the system are used. */
const LONGEST = 500;

/** Loads the fonts before anything is drawn in them. */
export async function fontsLoaded(): Promise<void> {
  const loading = FAMILIES.map((family) => document.fonts.load(`1em "${family}"`));
  await Promise.race([Promise.allSettled(loading), new Promise((done) => setTimeout(done, LONGEST))]);
}
