"""Holds two keys and a button on a VNC server, says so, and waits to be killed: `PORT`."""

from __future__ import annotations

import sys
import time

from operator_console.rfb.input_line import InputLine
from operator_console.rfb.server_login import Login

line = InputLine.connect(Login(host="127.0.0.1", port=int(sys.argv[1])))
line.pointer(200, 200, 0)
line.pointer(200, 200, 1)
line.pointer(300, 300, 1)
line.key(0xFFE1, down=True)
line.key(ord("A"), down=True)
if line.acknowledge(20):
    print("held", flush=True)
time.sleep(600)
