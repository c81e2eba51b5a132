"""Anthropic's SDK for Python, checking every answer."""

import anthropic
from said import ADDING, QUESTION, ROOT, refusal, reply, result_of, tell

CLIENT = anthropic.Anthropic(base_url=ROOT, api_key="k-1", max_retries=0, _strict_response_validation=True)
ASKED = {"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": QUESTION}]}
TOOLS = {"tools": [{"name": "add", "description": "Adds", "input_schema": ADDING}]}


def message_reply(message):
    of_kind = lambda kind: [block for block in message.content if block.type == kind]
    text = "".join(block.text for block in of_kind("text"))
    calls = [[block.name, block.input] for block in of_kind("tool_use")]
    thoughts = [[block.thinking, block.signature] for block in of_kind("thinking")]
    usage = message.usage
    read = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
    counts = read, usage.cache_read_input_tokens, usage.output_tokens
    return reply(text, calls, counts, message.stop_reason, thoughts[0] if thoughts else None)


def streamed(**more):
    with CLIENT.messages.stream(**ASKED, **more) as events:
        return message_reply(events.get_final_message())


def sent_back():
    content = create(**ASKED, **TOOLS).content
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": result_of(**block.input)}
        for block in content
        if block.type == "tool_use"
    ]
    told = [{"role": "assistant", "content": content}, {"role": "user", "content": results}]
    return message_reply(create(**{**ASKED, "messages": [*ASKED["messages"], *told]}, **TOOLS))


create = CLIENT.messages.create
tell(
    {
        "anthropic": {
            "plain": message_reply(create(**ASKED)),
            "streamed": streamed(),
            "plain_calls": message_reply(create(**ASKED, **TOOLS)),
            "streamed_calls": streamed(**TOOLS),
            "sent_back": sent_back(),
            "refused": refusal(anthropic.BadRequestError, lambda: create(**{**ASKED, "model": "refused"})),
        }
    }
)
