"""A server made with the Python SDK. It speaks both eras, over stdio or (with "http") on a free port of 127.0.0.1."""

import sys
from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve
from mcp.types import Completion, ListRootsResult
from pydantic import BaseModel

server = MCPServer("python-peer")


class Sum(BaseModel):
    sum: int


class Person(BaseModel):
    name: str


def who() -> Elicit[Person]:
    return Elicit("What is your name?", Person)


@server.tool()
def add(a: int, b: int) -> Sum:
    return Sum(sum=a + b)


@server.tool()
def greet(person: Annotated[Person, Resolve(who)]) -> str:
    return f"Hello, {person.name}."


@server.tool()
def folder(roots: Annotated[ListRootsResult, Resolve(lambda: ListRoots())]) -> str:
    return str(roots.roots[0].uri)


@server.tool()
async def count(ctx: Context) -> str:
    for step in (1, 2, 3):
        await ctx.report_progress(step, 3)
    return "counted"


@server.tool()
async def touch(ctx: Context) -> str:
    await ctx.notify_resource_updated("note://one")
    return "touched"


@server.resource("note://one")
def note() -> str:
    return "a note"


@server.prompt()
def plan(city: str) -> str:
    return f"Plan a day in {city}."


@server.completion()
async def complete(_ref, argument, _context) -> Completion:
    return Completion(values=[city for city in ("Oslo", "Osaka", "Rome") if city.startswith(argument.value)])


if "http" in sys.argv:
    server.run("streamable-http", port=0)
else:
    server.run()
