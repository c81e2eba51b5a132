// Language and appearance of a window, from the settings and the system. Messages read the language through the
// catalogue's own hook, so changing it redraws every sentence without a reload.
import type { Settings } from "../host/bindings";
import { overwriteGetLocale } from "../paraglide/runtime";

type Locale = "en" | "zh-CN";

let locale = $state<Locale>(systemLocale());
let dark = $state(false);
overwriteGetLocale(() => locale);

/** Keeps the document as the settings say. Call once while a window's component is set up. */
export function keepLook(settings: () => Settings | null): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  dark = system.matches;
  $effect(() => {
    const follow = () => (dark = system.matches);
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  });
  $effect.pre(() => {
    const language = settings()?.language ?? "system";
    locale = language === "system" ? systemLocale() : language;
    document.documentElement.lang = locale;
  });
  $effect.pre(() => {
    const appearance = settings()?.appearance ?? "system";
    document.documentElement.dataset.theme = appearance === "system" ? (dark ? "dark" : "light") : appearance;
  });
}

function systemLocale(): Locale {
  return navigator.language.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}
