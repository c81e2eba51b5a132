// What a variable can do, in words, and what a pasted configuration says of its values.
import type { EnvPair, NamedValue, VariableEffect } from "../../host/bindings";
import { m } from "../../paraglide/messages";

/** What the value of a variable decides. */
export function effectWords(effect: VariableEffect): string {
  switch (effect) {
    case "injects_code":
      return m.effect_injects_code();
    case "finds_programs":
      return m.effect_finds_programs();
    case "loads_code":
      return m.effect_loads_code();
    case "finds_settings":
      return m.effect_finds_settings();
    case "package_source":
      return m.effect_package_source();
    case "routes_traffic":
      return m.effect_routes_traffic();
    case "trust":
      return m.effect_trust();
    default:
      return effect satisfies never;
  }
}

/** Whether a text is nothing but a value to fill in, after a word such as "Bearer" or alone. */
function isWholly(text: string, hole: string): boolean {
  return text.endsWith(hole) && /^([A-Za-z-]+ )?$/.test(text.slice(0, -hole.length));
}

/**
 * The values of a pasted configuration as the card of the start will show them. One that holds a value to fill in, of
 * which `holes` are the stand-ins, is no secret yet and is shown.
 */
export function pastedValues(
  pairs: EnvPair[],
  effects: Partial<Record<string, VariableEffect>>,
  holes: string[] = [],
): NamedValue[] {
  return pairs.map(({ name, value: text }) => {
    const effect = effects[name] ?? null;
    if (text === "") return { name, effect, value: { display: "hidden" } };
    const shown = effect !== null || holes.some((hole) => isWholly(text, hole));
    return { name, effect, value: { display: shown ? "shown" : "masked", text } };
  });
}
