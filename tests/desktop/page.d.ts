// What the pages of the application have beside the names of every page, for functions that run in them.

interface Window {
  /** Tauri's own entry point for commands. */
  __TAURI_INTERNALS__: { invoke(command: string, args: object): Promise<unknown> };
  /** Kept by scripts/freezes.mjs: the longest time between two frames, in milliseconds. */
  longestFrame: number;
  lastFrame: number;
  watchingFrames: boolean;
}
