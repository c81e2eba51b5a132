// The user's appearance and language, as Rust left them for the first frame of a window.
import type { Settings } from "./bindings";

type Look = Pick<Settings, "appearance" | "language">;

declare global {
  interface Window {
    __VESTIBULE_LOOK__?: Look;
  }
}

/** The look when the window was opened; undefined in a window that opened without settings. */
export function openedLook(): Look | undefined {
  return window.__VESTIBULE_LOOK__;
}
