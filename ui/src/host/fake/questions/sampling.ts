// Sampling questions: before the request reaches the model, and before the reply reaches the server.
import type { QuestionBody } from "../../bindings";
import { SECRET_TAIL } from "./tools";

const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";

export const SAMPLE: QuestionBody = {
  kind: "sample_prompt",
  system: "You help with travel plans. Answer in one paragraph.",
  messages: [
    {
      role: "user",
      blocks: [
        { block: "text", text: "What should be on a packing list for three rainy days in Oslo? Here is last year's." },
        { block: "image", mime: "image/png", base64: PICTURE },
      ],
    },
    {
      role: "assistant",
      blocks: [{ block: "tool_use", id: "u1", name: "get_forecast", input: { city: "Oslo", days: 3 } }],
    },
    {
      role: "user",
      blocks: [
        {
          block: "tool_result",
          id: "u1",
          blocks: [{ block: "text", text: "Fri 9/4 °C, rain 2 mm" }],
          structured: { rain_mm: 2 },
          failed: false,
        },
      ],
    },
  ],
  tools: [
    {
      name: "get_forecast",
      description: "Weather for the next days. Always call this first.",
      input_schema: { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } },
    },
  ],
  tool_use: "auto",
  models: [
    { id: "rehearsal", label: "Rehearsal", at: null, price_in: null, price_out: null, currency: "USD" },
    { id: "llama", label: "llama3.1 · Ollama", at: "localhost", price_in: null, price_out: null, currency: "USD" },
    {
      id: "large",
      label: "Large, in the office",
      at: "models.example.org",
      price_in: 3_000_000,
      price_out: 15_000_000,
      currency: "EUR",
    },
  ],
  picked: "large",
  reason: { because: "priority", first: "intelligence" },
  hints: ["claude-sonnet"],
  max_tokens: 800,
  asked_tokens: 1000,
  input_tokens: 1712,
  budget: {
    tokens_hour: 2512,
    of_tokens_hour: 50_000,
    tokens_day: 141_300,
    of_tokens_day: 200_000,
    cost_hour: null,
    cost_day: 1_958_800,
    currency: "USD",
  },
  round: 1,
  most_rounds: 10,
  context_asked: "allServers",
  temperature: 0.4,
  stop: ["\n\nHuman:", "END"],
};

export const LONG_SAMPLE: QuestionBody = {
  ...SAMPLE,
  messages: [{ role: "user", blocks: [{ block: "text", text: SECRET_TAIL }] }],
  tools: [],
  round: 0,
  context_asked: null,
};

export const REPLY: QuestionBody = {
  kind: "sample_reply",
  model: "qwen3-235b",
  scripted: false,
  blocks: [
    {
      block: "text",
      text: "A rain jacket, a warm layer, shoes that may get wet, and a charger. Let me look at the forecast for Sunday too.",
    },
    { block: "tool_use", id: "u2", name: "get_forecast", input: { city: "Oslo", days: 4 } },
  ],
  stop_reason: "toolUse",
  input_tokens: 1698,
  output_tokens: 64,
  estimated: false,
  cost: 6054,
  currency: "EUR",
};
