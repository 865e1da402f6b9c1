"""A real MCP client: agent.py stdio EIN ARGS... or agent.py http URL."""

import asyncio
import sys

from mcp import ClientSession


async def use(read, write):
    async with ClientSession(read, write) as session:
        told = await session.initialize()
        assert "bounded" in told.instructions, told
        names = {tool.name for tool in (await session.list_tools()).tools}
        assert names == {"check", "run", "explain", "why", "doc"}, names

        async def ask(tool, **arguments):
            out = await session.call_tool(tool, arguments)
            text = out.content[0].text
            assert "\n\ncost: " in text, text
            return bool(getattr(out, "is_error", None) or getattr(out, "isError", None)), text

        wrong, text = await ask("check", program="x = y")
        assert not wrong and "there is no tensor `y`" in text, text
        wrong, text = await ask("run", program="x = y")
        assert wrong and "E0201" in text, text
        wrong, text = await ask("run", program=":print desc(Owners, \"acme\")".join(["input Owners: graph\n", ""]))
        assert not wrong and "{shell, zenith}" in text and "operations run of at most" in text, text
        wrong, text = await ask("run", program="input A: graph\n:print sum(A)", inputs={"A": [[0, 1], [1, 2]]})
        assert not wrong and "sum(A) = 2" in text, text
        wrong, text = await ask("run", program="input A: graph\n:print sum(A)", inputs={"A": {"text": "x,y\na,b\n", "options": "header=yes"}})
        assert not wrong and "sum(A) = 1" in text, text
        wrong, text = await ask("run", program="input A: graph\n:print sum(A)", inputs={"A": {"text": "", "options": "format=sqlite&query=@/etc/hostname"}})
        assert wrong and "has no query" in text, text
        wrong, text = await ask("explain", program=":print tc(edges([[0,1]]))")
        assert not wrong and "tc (const 2x2)" in text, text
        wrong, text = await ask("why", program="input Owners: graph", expression='has_path(Owners, "acme", "zenith")')
        assert not wrong and "shell" in text, text
        wrong, text = await ask("why", program="input A: graph", expression="has_path(A, 0, 2)", inputs={"A": [[0, 1], [1, 2]]})
        assert not wrong and "0 -> 1 -> 2" in text, text
        wrong, text = await ask("doc", name="tc")
        assert not wrong and "closure" in text, text
        wrong, text = await ask("doc")
        assert not wrong and "pagerank" in text, text
        wrong, text = await ask("doc", name="nothing at all")
        assert wrong, text
        uris = {str(r.uri) for r in (await session.list_resources()).resources}
        assert uris == {"ein://language", "ein://data/Owners"}, uris
        card = await session.read_resource("ein://language")
        assert "desc(A,x)" in card.contents[0].text, card
        data = await session.read_resource("ein://data/Owners")
        assert "acme,shell" in data.contents[0].text, data


async def main():
    if sys.argv[1] == "stdio":
        from mcp.client.stdio import StdioServerParameters, stdio_client

        async with stdio_client(StdioServerParameters(command=sys.argv[2], args=sys.argv[3:])) as (read, write):
            await use(read, write)
    else:
        try:
            from mcp.client.streamable_http import streamable_http_client as connect
        except ImportError:
            from mcp.client.streamable_http import streamablehttp_client as connect
        async with connect(sys.argv[2]) as streams:
            await use(streams[0], streams[1])


asyncio.run(main())
