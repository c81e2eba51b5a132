// Chooses the host once: Tauri in the app, a fake only in builds made with `--mode fake`. The condition is a constant
// when Vite builds, so the fake and its data are not in the app.
import { tauriConsent, tauriMain, type ConsentHost, type MainHost } from "./commands";

/** The host of the main window. */
export async function mainHost(): Promise<MainHost> {
  if (import.meta.env.MODE === "fake") return (await import("./fake")).fakeMain();
  return tauriMain();
}

/** The host of the consent window. */
export async function consentHost(): Promise<ConsentHost> {
  if (import.meta.env.MODE === "fake") return (await import("./fake")).fakeConsent();
  return tauriConsent();
}

export type { ConsentHost, MainHost } from "./commands";
export type { Trouble } from "./trouble";
export { troubleOf } from "./trouble";
