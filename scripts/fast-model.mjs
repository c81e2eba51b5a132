// A model's endpoint for measuring: it streams an answer of a chosen shape at a steady rate.
import { once } from "node:events";
import { createServer } from "node:http";
import { portOf } from "../tests/desktop/processes.mjs";

/** The one model the endpoint offers. */
export const MODEL = "fast-1";
/** The word that ends each answer, as a paragraph of its own. */
export const LAST_WORD = "endmark";

/** A model's endpoint that sends a fixed number of tokens a second, each as an event of its own. */
export class FastModel {
  /** Of which shape the next answer is; without one it is a single sentence. */
  shape = "";
  /** When the last word left, in milliseconds since 1970. */
  lastAt = 0;
  /** When the last request was there whole, in milliseconds since 1970, and how many bytes its body had. */
  request = { at: 0, bytes: 0 };
  /** The base address of the endpoint. */
  url = "";
  #server = createServer((request, response) => void this.#answer(request, response));

  /** A model that says so many tokens a second, for so many seconds. */
  constructor(rate, seconds) {
    this.rate = rate;
    this.all = rate * seconds;
  }

  static async start(rate, seconds) {
    const model = new FastModel(rate, seconds);
    model.#server.listen(0, "127.0.0.1");
    await once(model.#server, "listening");
    model.url = `http://127.0.0.1:${portOf(model.#server)}/v1`;
    return model;
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request, response) {
    let bytes = 0;
    for await (const piece of request) bytes += piece.length;
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          object: "list",
          data: [{ id: MODEL, object: "model" }],
        }),
      );
      return;
    }
    this.request = { at: Date.now(), bytes };
    response.writeHead(200, { "content-type": "text/event-stream" });
    const emit = (delta, finish_reason = null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: MODEL, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    response.write(emit({ role: "assistant", content: "" }));
    if (this.shape === "") response.write(emit({ content: "Yes." }));
    else await this.#speak(response, emit);
    response.end(`${emit({}, "stop")}data: [DONE]\n\n`);
  }

  async #speak(response, emit) {
    const { begin, token, end } = speech(this.shape, this.all);
    response.write(emit({ content: begin }));
    const began = performance.now();
    for (let said = 0; said < this.all;) {
      const due = Math.min(this.all, Math.floor(((performance.now() - began) / 1_000) * this.rate));
      let events = "";
      for (; said < due; said += 1) events += emit({ content: token(said) });
      if (events !== "" && !response.write(events)) await once(response, "drain");
      await new Promise((next) => setTimeout(next, 2));
    }
    this.lastAt = Date.now();
    response.write(emit({ content: `${end}\n\n${LAST_WORD}` }));
  }
}

/** The tokens of each shape, again and again. Each is about as long as those of models are: four characters. */
const TOKENS = {
  prose: ["The", " old", " harbour", " is", " a", " short", " walk", " away", ". "],
  code: ["let", " x", " =", " 1;", "\n"],
  list: ["- ", "word", " word", "\n"],
  table: ["| a", " | b", " |", "\n"],
};
const BEGIN = { prose: "", code: "```ts\n", list: "", table: "| one | two |\n|---|---|\n" };

/** How an answer of a shape begins, its tokens by number, and what closes it. */
function speech(shape, all) {
  if (shape === "mixed") return mixed(all);
  const tokens = TOKENS[shape];
  if (!tokens) throw new Error(`SHAPES has no ${shape}`);
  return {
    begin: BEGIN[shape],
    token: (number) => (shape === "prose" && number % 180 === 179 ? ".\n\n" : tokens[number % tokens.length]),
    end: shape === "code" ? "```" : "",
  };
}

/** Prose, code, a list and a table in turn, of 500 tokens each: a whole number of lines. */
function mixed(all) {
  const parts = ["prose", "code", "list", "table"].map((shape) => speech(shape, all));
  const token = (number) => {
    const part = parts[Math.floor(number / 500) % parts.length];
    const before = parts[(Math.floor(number / 500) + parts.length - 1) % parts.length];
    const change = number % 500 === 0 ? `${number > 0 ? before.end : ""}\n\n${part.begin}` : "";
    return change + part.token(number);
  };
  const last = parts[Math.floor((all - 1) / 500) % parts.length];
  return { begin: "", token, end: last.end };
}
