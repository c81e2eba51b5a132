"""Ollama's SDK for Python over Ollama's own interface."""

import ollama
from said import ADDING, QUESTION, ROOT, refusal, reply, result_of, tell

CLIENT = ollama.Client(host=ROOT)
ASKED = {"model": "m", "messages": [{"role": "user", "content": QUESTION}]}
TOOLS = {"tools": [{"type": "function", "function": {"name": "add", "description": "Adds", "parameters": ADDING}}]}


def records_reply(records):
    """What several records of a stream, or one whole answer, say together. It counts no cached tokens."""
    messages = [record.message for record in records]
    text = "".join(message.content or "" for message in messages)
    calls = [call.function for message in messages for call in message.tool_calls or []]
    calls = [[call.name, dict(call.arguments)] for call in calls]
    thought = "".join(message.thinking or "" for message in messages)
    last = records[-1]
    counts = last.prompt_eval_count, None, last.eval_count
    return reply(text, calls, counts, last.done_reason, [thought, None] if thought else None)


def sent_back():
    message = CLIENT.chat(**ASKED, **TOOLS).message
    calls = [call.function for call in message.tool_calls]
    results = [{"role": "tool", "tool_name": call.name, "content": result_of(**call.arguments)} for call in calls]
    return records_reply([CLIENT.chat(**{**ASKED, "messages": [*ASKED["messages"], message, *results]}, **TOOLS)])


shown = CLIENT.show("m")
tell(
    {
        "ollama": {
            "plain": records_reply([CLIENT.chat(**ASKED)]),
            "streamed": records_reply(list(CLIENT.chat(**ASKED, stream=True))),
            "plain_calls": records_reply([CLIENT.chat(**ASKED, **TOOLS)]),
            "streamed_calls": records_reply(list(CLIENT.chat(**ASKED, **TOOLS, stream=True))),
            "sent_back": sent_back(),
            "refused": refusal(ollama.ResponseError, lambda: CLIENT.chat(**{**ASKED, "model": "refused"})),
            "shown": [shown.modelinfo["llama.context_length"], list(shown.capabilities)],
        }
    }
)
