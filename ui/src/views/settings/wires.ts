// The interfaces of models, by the names that their vendors gave them.
import type { ModelWire } from "../../host/bindings";

export const WIRES: readonly [ModelWire, string][] = [
  ["chat_completions", "OpenAI Chat Completions"],
  ["responses", "OpenAI Responses"],
  ["anthropic", "Anthropic Messages"],
  ["gemini", "Google Gemini"],
  ["ollama", "Ollama"],
  ["azure", "Azure OpenAI"],
];

export function wireName(wire: ModelWire): string {
  return WIRES.find(([name]) => name === wire)?.[1] ?? wire;
}
