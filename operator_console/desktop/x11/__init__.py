"""X11: windows, pixels, monitors and focus, over one connection per thread.

Everything of this package that speaks to an X server. Called by computers/, injector/ and guard/.
"""
