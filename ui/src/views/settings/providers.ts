// Providers of models with the address that each of them documents, to begin the form with.
import { m } from "../../paraglide/messages";

export interface Provider {
  id: string;
  name: () => string;
  base_url: string;
  /** Whether it runs on this computer and needs no key. */
  local: boolean;
}

export const PROVIDERS: readonly Provider[] = [
  { id: "ollama", name: () => "Ollama", base_url: "http://localhost:11434", local: true },
  { id: "lm-studio", name: () => "LM Studio", base_url: "http://localhost:1234/v1", local: true },
  { id: "llama-cpp", name: () => "llama.cpp", base_url: "http://localhost:8080/v1", local: true },
  { id: "model-file", name: m.model_file, base_url: "", local: true },
  { id: "openai", name: () => "OpenAI", base_url: "https://api.openai.com/v1", local: false },
  { id: "anthropic", name: () => "Anthropic", base_url: "https://api.anthropic.com", local: false },
  { id: "gemini", name: () => "Google Gemini", base_url: "https://generativelanguage.googleapis.com", local: false },
  { id: "openrouter", name: () => "OpenRouter", base_url: "https://openrouter.ai/api/v1", local: false },
  { id: "other", name: m.provider_other, base_url: "", local: false },
];
