"""How the clients written in Python tell what they were answered: one JSON document, by the name of the wire."""

import json
import sys

ROOT = sys.argv[1]
QUESTION = "Add one."
ADDING = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def result_of(a):
    """What a call of the tool gives."""
    return f"{a + 1} harbours"


def reply(text, calls, usage, ended, thought=None):
    """One reply; `usage` is what was read, what of that came from a cache, and what was written."""
    return {"text": text, "calls": calls, "usage": list(usage), "ended": ended, "thought": thought}


def refusal(kind, call):
    """The status and message with which `call` is refused."""
    try:
        call()
    except kind as error:
        return {"status": error.status_code, "message": str(error)}
    raise SystemExit("nothing was refused")


def tell(replies):
    print(json.dumps(replies))
