"""QEMU's monitor (QMP): the state of a virtual machine, and its snapshots.

A monitor has full control of the virtual machine, and writes files of the host. Only questions and what the operator
asks for go over it; nothing of a model does.
"""
