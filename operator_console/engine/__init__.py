"""The agent loop, the session's states, approval, retry, usage, limits and the operator's channel. No Qt, OS, HTTP."""
