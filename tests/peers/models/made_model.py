"""Writes a GGUF file of some 240 kB whose weights are set by hand: a language model of one layer that makes one call.

    made_model.py FILE NAME ARGUMENTS ANSWER [call|text]

Offered tools, it calls NAME with ARGUMENTS (JSON). Once the result of a tool stands in the conversation, it says ANSWER.
Without tools it says so. With "text" it writes the call as fenced JSON, as small models do, instead of making it.

Each token it can write has a dimension of its own, and the output matrix leads from there to the next token. Two heads of
attention tell the first token of a reply whether tools are offered and whether a result is there. All other weights are
zero, so the same conversation always gets the same reply.
"""

import json
import struct
import sys
from pathlib import Path

CONTEXT = 65536
HEAD = 32  # dimensions of a head; the last pair of them is not turned by the position, because of ROPE_BASE
ROPE_BASE = 1e12
OWN = 8.0  # size of a token's own dimension, beside 1 in the first dimension of every token
SHARP = 40.0  # how much more likely the right token is, before the exponential
NO_TOOL = "I have no tool for that."

# Kinds of tokens, of GGUF.
NORMAL, CONTROL, USER_DEFINED = 1, 3, 4
ROLES = ["<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>"]


def byte_letters():
    """The letter for each byte, as the vocabulary of GPT-2 writes it."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = {byte: chr(byte) for byte in plain}
    return letters | {byte: chr(256 + place) for place, byte in enumerate(others)}


class Vocabulary:
    def __init__(self):
        letters = byte_letters()
        self.texts = [letters[byte] for byte in range(256)]
        # The loader wants at least one merge.
        self.merge = f"{letters[97]} {letters[98]}"
        self.texts.append(letters[97] + letters[98])
        self.kinds = [NORMAL] * len(self.texts)
        self.own = {}  # the own dimension of a token, counted from 1

    def add(self, text, kind=USER_DEFINED):
        """A new token with a dimension of its own; returns its number."""
        token = len(self.texts)
        self.texts.append(text)
        self.kinds.append(kind)
        self.own[token] = len(self.own) + 1
        return token

    def pieces(self, text, length=6):
        """New tokens that make up `text`; no two tokens have the same text."""
        tokens, start = [], 0
        while start < len(text):
            end = start + length
            while text[start:end] in self.texts and end < len(text):
                end += 1
            piece = text[start:end]
            if piece in self.texts:
                raise SystemExit(f"the end of {text!r} is a token already; choose other words")
            tokens.append(self.add(piece))
            start = end
        return tokens


class Model:
    def __init__(self, name, arguments, answer, as_text):
        self.words = words = Vocabulary()
        self.roles = {role: words.add(role, CONTROL) for role in ROLES}
        self.tools = words.add("<tools>")
        opening, closing = words.add("<tool_call>"), words.add("</tool_call>")
        call = json.dumps({"name": name, "arguments": arguments})
        if as_text:
            calling = words.pieces(f"```json\n{call}\n```")
        else:
            calling = [opening, *words.pieces(f"\n{call}\n"), closing]
        self.replies = [calling, words.pieces(answer), words.pieces(NO_TOOL)]
        # Two more dimensions: tools are offered; a result is there.
        self.offered = len(words.own) + 1
        self.answered = self.offered + 1
        self.width = -(-(self.answered + 1) // HEAD) * HEAD

    def tensors(self):
        """The weights by name, each a list of rows."""
        width = self.width
        ones, wide, tall = [1.0] * width, [[0.0] * width for _ in range(HEAD)], [[0.0] * HEAD for _ in range(width)]
        query, key, value, back = self.attention()
        return {
            "token_embd.weight": self.embedding(),
            "output.weight": self.output(),
            "output_norm.weight": [ones],
            "blk.0.attn_norm.weight": [ones],
            "blk.0.ffn_norm.weight": [ones],
            "blk.0.attn_q.weight": query,
            "blk.0.attn_k.weight": key,
            "blk.0.attn_v.weight": value,
            "blk.0.attn_output.weight": back,
            "blk.0.ffn_gate.weight": wide,
            "blk.0.ffn_up.weight": wide,
            "blk.0.ffn_down.weight": tall,
        }

    def embedding(self):
        rows = []
        for token in range(len(self.words.texts)):
            row = [0.0] * self.width
            row[0] = 1.0
            if token in self.words.own:
                row[self.words.own[token]] = OWN
            rows.append(row)
        return rows

    def attention(self):
        """Head 0 looks for the list of tools, head 1 for a result; each carries what it finds into a dimension."""
        query, key, value, back = ([[0.0] * self.width for _ in range(self.width)] for _ in range(4))
        found = [(self.tools, self.offered), (self.roles["<|tool|>"], self.answered)]
        for head, (token, into) in enumerate(found):
            first, still = head * HEAD, head * HEAD + HEAD - 2
            query[still][0] = 10.0
            key[still][self.words.own[token]] = 10.0
            value[first][self.words.own[token]] = 1.0
            back[into][first] = 1.0
        return query, key, value, back

    def output(self):
        rows = [[0.0] * self.width for _ in self.words.texts]
        for reply in self.replies:
            for token, after in zip(reply, [*reply[1:], self.roles["<|end|>"]]):
                rows[after][self.words.own[token]] = 4 * SHARP
        call, answer, nothing = (reply[0] for reply in self.replies)
        rows[nothing][self.words.own[self.roles["<|assistant|>"]]] = SHARP
        rows[call][self.offered] = 2 * SHARP
        rows[call][self.answered] = -2 * SHARP
        rows[answer][self.answered] = 2 * SHARP
        return rows


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(name, value):
    """A name with its value; a whole number is an unsigned one of 32 bits."""
    kinds = {bool: (7, "<?"), int: (4, "<I"), float: (6, "<f")}
    if isinstance(value, str):
        return text(name) + struct.pack("<I", 8) + text(value)
    if isinstance(value, list):
        of_texts = isinstance(value[0], str)
        items = b"".join(text(item) if of_texts else struct.pack("<i", item) for item in value)
        return text(name) + struct.pack("<IIQ", 9, 8 if of_texts else 5, len(value)) + items
    kind, form = kinds[type(value)]
    return text(name) + struct.pack("<I", kind) + struct.pack(form, value)


def about(model, template):
    words = model.words
    return {
        "general.architecture": "llama",
        "general.name": "made-by-hand",
        "llama.context_length": CONTEXT,
        "llama.embedding_length": model.width,
        "llama.block_count": 1,
        "llama.feed_forward_length": HEAD,
        "llama.attention.head_count": model.width // HEAD,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": HEAD,
        "llama.rope.freq_base": ROPE_BASE,
        "llama.vocab_size": len(words.texts),
        "general.file_type": 0,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "default",
        "tokenizer.ggml.tokens": words.texts,
        "tokenizer.ggml.token_type": words.kinds,
        "tokenizer.ggml.merges": [words.merge],
        "tokenizer.ggml.bos_token_id": model.roles["<|end|>"],
        "tokenizer.ggml.eos_token_id": model.roles["<|end|>"],
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": template,
    }


def padding(size):
    return b"\0" * (-size % 32)


def gguf(model, template):
    entries, tensors = about(model, template), model.tensors()
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(entries))
    head += b"".join(entry(name, value) for name, value in entries.items())
    data = b""
    for name, rows in tensors.items():
        shape = [len(rows[0])] + ([len(rows)] if len(rows) > 1 else [])
        head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data))
        for row in rows:
            data += struct.pack(f"<{len(row)}f", *row)
        data += padding(len(data))
    return head + padding(len(head)) + data


def main(file, name, arguments, answer, form="call"):
    model = Model(name, json.loads(arguments), answer, form == "text")
    template = Path(__file__).with_name("chat-template.jinja").read_text()
    Path(file).write_bytes(gguf(model, template))


main(*sys.argv[1:])
