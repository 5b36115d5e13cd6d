"""AT-SPI2, the accessibility service of Linux desktops, over D-Bus.

Source: the interfaces org.a11y.atspi.* of at-spi2-core 2.46. Runs in a process of its own (`worker`).
"""
