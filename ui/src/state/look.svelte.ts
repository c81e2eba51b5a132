// Language and appearance of a window, from the settings and the system. Messages read the language through the
// catalogue's own hook, so changing it redraws every sentence without a reload.
import type { Settings } from "../host/bindings";
import { openedLook } from "../host/look";
import { overwriteGetLocale } from "../paraglide/runtime";

type Locale = "en" | "zh-CN";

const opened = openedLook();
let locale = $state<Locale>(localeOf(opened?.language));
let dark = $state(false);
overwriteGetLocale(() => locale);

/**
 * Keeps the document as the settings say; while they are null, as they were when the window was opened. Call once while a
 * window's component is set up.
 */
export function keepLook(settings: () => Settings | null): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  dark = system.matches;
  $effect(() => {
    const follow = () => (dark = system.matches);
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  });
  $effect.pre(() => {
    locale = localeOf((settings() ?? opened)?.language);
    document.documentElement.lang = locale;
  });
  $effect.pre(() => {
    const appearance = (settings() ?? opened)?.appearance ?? "system";
    document.documentElement.dataset.theme = appearance === "system" ? (dark ? "dark" : "light") : appearance;
  });
}

function localeOf(language: Settings["language"] = "system"): Locale {
  if (language !== "system") return language;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}
