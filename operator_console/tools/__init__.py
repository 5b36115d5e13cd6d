"""Actions that are not input: starting applications, reading the clipboard, the operator's functions, MCP servers, and
bash and the text editor in a sandbox."""
