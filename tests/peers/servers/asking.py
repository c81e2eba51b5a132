"""A server made with the Python SDK that needs the person for everything: a form, a page, a model's words, folders.

It asks as the newest revision does, by results that want input. A tool's result is the answer as the SDK handed it over.
"""

import json

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
)

server = MCPServer("asking")

FIELDS = {
    "name": {"type": "string", "title": "Name", "minLength": 2},
    "seats": {"type": "integer", "title": "Seats", "minimum": 1, "maximum": 9, "default": 1},
    "window": {"type": "boolean", "title": "At the window"},
    "class": {
        "type": "string",
        "title": "Class",
        "oneOf": [{"const": "c1", "title": "First"}, {"const": "c2", "title": "Second"}],
    },
    "note": {"type": "string", "title": "Note"},
}


def needs(ctx: Context, name: str, wish) -> str | InputRequiredResult:
    if ctx.input_responses is None:
        return InputRequiredResult(input_requests={f"the {name}": wish}, request_state=f'«{name}» {{"step": 1}}')
    answers = {key: answer.model_dump(mode="json", by_alias=True, exclude_none=True) for key, answer in ctx.input_responses.items()}
    return json.dumps(answers)


@server.tool()
def form(ctx: Context) -> str | InputRequiredResult:
    schema = {"type": "object", "properties": FIELDS, "required": ["name", "class"]}
    params = ElicitRequestFormParams(message="Who travels, and how?", requested_schema=schema)
    return needs(ctx, "form", ElicitRequest(params=params))


@server.tool()
def page(ctx: Context, url: str) -> str | InputRequiredResult:
    return needs(ctx, "page", ElicitRequest(params=ElicitRequestURLParams(message="Please sign in there.", url=url)))


@server.tool()
def words(ctx: Context) -> str | InputRequiredResult:
    asked = SamplingMessage(role="user", content=TextContent(type="text", text="the words of the server"))
    system = "You are a helpful test server."
    params = CreateMessageRequestParams(messages=[asked], system_prompt=system, max_tokens=60)
    return needs(ctx, "words", CreateMessageRequest(params=params))


@server.tool()
def folders(ctx: Context) -> str | InputRequiredResult:
    return needs(ctx, "folders", ListRootsRequest())


server.run()
