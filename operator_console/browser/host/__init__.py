"""The browser host: the process that starts a browser, and lets the console look at it and the injector act on it."""
