"""A server made with the first generation of the Python SDK that needs the person for everything: a form, a page, a
page before it does anything, a model's words, folders.

It knows only sessions that are opened by handshake, and asks by requests of its own. A tool's result is the answer as
the SDK handed it over.
"""

from uuid import uuid4

from mcp.server.fastmcp import Context, FastMCP
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp.types import ElicitRequestURLParams, SamplingMessage, TextContent
from pydantic import BaseModel, Field

server = FastMCP("asking")
visited: set[str] = set()


class Journey(BaseModel):
    name: str = Field(min_length=2)
    seats: int = Field(1, ge=1, le=9)
    window: bool | None = None
    travels: str = Field(alias="class", json_schema_extra={"enum": ["c1", "c2"]})
    note: str | None = None


@server.tool()
async def form(ctx: Context) -> str:
    answer = await ctx.elicit("Who travels, and how?", Journey)
    return answer.model_dump_json(by_alias=True, exclude_none=True)


@server.tool()
async def page(url: str, ctx: Context) -> str:
    answer = await ctx.elicit_url("Please sign in there.", url, str(uuid4()))
    return answer.model_dump_json()


@server.tool()
async def gate(url: str) -> str:
    if url in visited:
        return "The gate is open."
    visited.add(url)
    wanted = ElicitRequestURLParams(message="Please sign in there first.", url=url, elicitationId=str(uuid4()))
    raise UrlElicitationRequiredError([wanted])


@server.tool()
async def words(ctx: Context) -> str:
    asked = SamplingMessage(role="user", content=TextContent(type="text", text="the words of the server"))
    answer = await ctx.session.create_message([asked], max_tokens=60, system_prompt="You are a helpful test server.")
    return answer.model_dump_json(by_alias=True, exclude_none=True)


@server.tool()
async def folders(ctx: Context) -> str:
    answer = await ctx.session.list_roots()
    return answer.model_dump_json(by_alias=True, exclude_none=True)


server.run()
