// A file with one long chat, in the form that "Export chats" writes: messages, calls and answers in turn.
import { deflateSync } from "node:zlib";
import { MODEL } from "./fast-model.mjs";

/** The title of the chat. */
export const TITLE = "A long chat";
/** A picture has this many pixels in each direction. */
const PICTURE_SIDE = 480;

/** A file of chats in our own form. Every picture is another one, and one of the last entries has one. */
export function chatFile(count, pictures) {
  const begin = Date.UTC(2026, 0, 1);
  const entries = Array.from({ length: count }, (_, number) => ({
    id: `e${number}`,
    parent: number === 0 ? null : `e${number - 1}`,
    at: begin + number * 1_000,
    body: body(number, count, pictures),
  }));
  const chat = {
    id: "c",
    title: TITLE,
    created: begin,
    updated: begin + count * 1_000,
    shown: `e${count - 1}`,
    entries,
  };
  return {
    format: "vestibule-chats",
    version: 1,
    exported: begin,
    chats: [chat],
  };
}

function body(number, count, pictures) {
  if (number === count - 1 || number % 3 === 2) return answer(number);
  if (number % 3 === 0) return { kind: "user", text: `Message ${number}`, attachments: [] };
  /** @type {object[]} */
  const content = [{ type: "text", text: `Result ${number}` }];
  const every = Math.floor(count / 3 / pictures);
  if (Math.floor((count - number) / 3) % every === 1)
    content.push({ type: "image", mime: "image/png", base64: picture(number) });
  return {
    kind: "call",
    call: `call-${number}`,
    called_as: "weather__get_forecast",
    server: null,
    server_name: "weather",
    tool: "get_forecast",
    arguments: { city: "Oslo", days: number },
    edited: false,
    because: [],
    state: "answered",
    elapsed_ms: 240,
    result: {
      content,
      structured: null,
      failed: false,
      misfits: [],
      unchecked: null,
      cut_bytes: 0,
      model_cut_bytes: 0,
    },
  };
}

function answer(number) {
  const walk = "The **old** harbour is a *short* walk from the [station](https://example.org/map), past `quay 4`. ";
  return {
    kind: "assistant",
    text: `Answer ${number}.\n\n${walk.repeat(6)}`,
    reasoning: "",
    model: MODEL,
    scripted: false,
    state: "done",
  };
}

/** A PNG of colours that no other number has, in base64. */
function picture(number) {
  const row = 1 + PICTURE_SIDE * 3;
  const raw = Buffer.alloc(row * PICTURE_SIDE);
  for (let y = 0; y < PICTURE_SIDE; y += 1) {
    for (let x = 0; x < row - 1; x += 1) raw[y * row + 1 + x] = (x * (number % 7) + y * 3 + ((x * y) >> 5)) & 255;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(PICTURE_SIDE, 0);
  header.writeUInt32BE(PICTURE_SIDE, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [part("IHDR", header), part("IDAT", deflateSync(raw)), part("IEND", Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]).toString("base64");
}

/** A part of a PNG: its length, its name, its data and their checksum. */
function part(name, data) {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Node 20 has no `zlib.crc32`. */
function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
