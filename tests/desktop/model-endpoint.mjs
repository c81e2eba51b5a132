// A language model endpoint under the test's control: it speaks the OpenAI-compatible chat protocol on this computer,
// says exactly what the test queued, in fragments as real endpoints send them, and remembers every request, so that a
// test can show what the model was told. It understands nothing it is asked.
import { createServer } from "node:http";
import { once } from "node:events";
import { waitFor } from "./wait.mjs";
import { portOf } from "./processes.mjs";

/** The one model the endpoint offers. */
export const MODEL = "scripted-1";
/** Characters of tool arguments per streamed fragment; odd and small so that JSON is cut in every kind of place. */
const FRAGMENT = 7;

/** A turn in which the model only speaks. Several pieces are streamed one after the other. */
export const says = (...pieces) => ({ pieces, calls: [] });
/**
 * A turn in which the model asks for tools. Each call is { tool, arguments }: `tool` is searched (RegExp) in the names
 * the host offered, because the host and not the test decides how a tool is called at the model's edge.
 */
export const asksFor = (...calls) => ({ pieces: [], calls });

/** Starts the endpoint on a free port. */
export async function startModelEndpoint() {
  const endpoint = new ModelEndpoint();
  await endpoint.listen();
  return endpoint;
}

class ModelEndpoint {
  #server = createServer((request, response) => void this.#answer(request, response));
  #turns = [];
  #callsMade = 0;
  #arrivedAt = 0;

  /** Bodies of all chat requests, oldest first. */
  requests = [];
  /** What went wrong in the script: a request with no turn left, a tool that was not offered. Tests assert it stays empty. */
  complaints = [];
  /** The Authorization header of the latest request. */
  authorization = undefined;

  async listen() {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${portOf(this.#server)}/v1`;
  }

  async close() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** Appends turns; each chat request consumes one. */
  queue(...turns) {
    this.#turns.push(...turns);
  }

  /** The `number`th chat request (1 is the first), waiting for it. */
  request(number, options) {
    return waitFor(`chat request ${number}`, () => this.requests[number - 1], options);
  }

  /** When the next chat request is here whole, in milliseconds since 1970. */
  arrival() {
    const next = this.requests.length + 1;
    return this.request(next).then(() => this.#arrivedAt);
  }

  async #answer(request, response) {
    try {
      this.authorization = request.headers.authorization ?? this.authorization;
      if (request.method === "GET" && request.url.startsWith("/v1/models")) {
        return json(response, 200, {
          object: "list",
          data: [{ id: MODEL, object: "model", owned_by: "test", created: 0 }],
        });
      }
      if (request.method === "POST" && request.url.startsWith("/v1/chat/completions")) {
        const body = JSON.parse(await collect(request));
        this.#arrivedAt = Date.now();
        this.requests.push(body);
        return await this.#speak(body, response);
      }
      return json(response, 404, { error: { message: `no ${request.method} ${request.url} here` } });
    } catch (error) {
      this.complaints.push(error.message);
      if (!response.headersSent) json(response, 500, { error: { message: error.message } });
      else response.destroy();
    }
  }

  async #speak(body, response) {
    const turn = this.#turns.shift();
    if (!turn) throw new Error("a chat request came when no turn was queued");
    const calls = turn.calls.map((call) => this.#resolve(call, body));
    if (body.stream !== true) return json(response, 200, whole(turn.pieces, calls));

    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
    const emit = (delta, finish = null) => writeRagged(response, chunk([{ index: 0, delta, finish_reason: finish }]));
    await emit({ role: "assistant", content: "" });
    for (const piece of turn.pieces) await emit({ content: piece });
    for (const [index, { id, name, text }] of calls.entries()) {
      await emit({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
      for (let at = 0; at < text.length; at += FRAGMENT) {
        await emit({ tool_calls: [{ index, function: { arguments: text.slice(at, at + FRAGMENT) } }] });
      }
    }
    await emit({}, calls.length > 0 ? "tool_calls" : "stop");
    if (body.stream_options?.include_usage) await writeRagged(response, { ...chunk([]), usage: USAGE });
    response.end("data: [DONE]\n\n");
  }

  #resolve({ tool, arguments: args }, body) {
    const offered = (body.tools ?? []).map((entry) => entry.function.name);
    const name = offered.find((candidate) => tool.test(candidate));
    if (!name) throw new Error(`the host offered no tool like ${tool}; it offered: ${offered.join(", ") || "none"}`);
    this.#callsMade += 1;
    return { id: `call_${this.#callsMade}`, name, text: JSON.stringify(args) };
  }
}

/** The contents of all messages with the role "tool" in a request, oldest first. */
export function toolResults(body) {
  return body.messages.filter(({ role }) => role === "tool").map(({ content }) => flat(content));
}

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

function chunk(choices) {
  return { id: "chatcmpl-test", object: "chat.completion.chunk", created: 0, model: MODEL, choices };
}

function whole(pieces, calls) {
  const tool_calls = calls.map(({ id, name, text }) => ({ id, type: "function", function: { name, arguments: text } }));
  const message = { role: "assistant", content: pieces.join("") || null, ...(calls.length > 0 && { tool_calls }) };
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  return {
    id: "chatcmpl-test",
    object: "chat.completion",
    created: 0,
    model: MODEL,
    choices: [{ index: 0, message, finish_reason }],
    usage: USAGE,
  };
}

/** Writes one event in two pieces cut in the middle of its bytes, which may be the middle of a character. */
async function writeRagged(response, event) {
  const bytes = Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
  const middle = bytes.length >> 1;
  response.write(bytes.subarray(0, middle));
  await new Promise((next) => setImmediate(next));
  response.write(bytes.subarray(middle));
}

function json(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

async function collect(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

function flat(content) {
  return typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
}
