"""A client of RFB, the protocol of VNC: one connection to look at a machine, others to act on it."""
