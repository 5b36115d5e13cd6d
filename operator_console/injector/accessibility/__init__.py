"""Uses accessible elements over AT-SPI2, the accessibility service of Linux desktops: input like any other.

Source: the interfaces org.a11y.atspi.* of at-spi2-core 2.46.
"""
