// The fonts of a window. Drawn before they are there, words move when they come: those of other fonts have another width, and a
// card moves its buttons because the line under them breaks.

const FAMILIES = ["Inter Variable", "Inter beside Chinese", "JetBrains Mono Variable"];
/** How long to wait for them, in milliseconds. They are files of the application. Without them the system's are used. */
const LONGEST = 3000;

/** Loads the fonts before anything is drawn in them. */
export async function fontsLoaded(): Promise<void> {
  const loading = FAMILIES.map((family) => document.fonts.load(`1em "${family}"`));
  await Promise.race([Promise.allSettled(loading), new Promise((done) => setTimeout(done, LONGEST))]);
}
