"""The fence around a managed browser: the proxy that all its requests go through, and what makes the browser use it.

A proxy, because nothing else holds: routes and interception of the DevTools protocol let redirects, workers, sockets or
speculation through, and open when their client dies.
"""
