"""Decides which actions run, need an answer from the operator, or are refused. Pure functions on values."""

from operator_console.policy.assess import assess
from operator_console.policy.findings import PolicyContext
from operator_console.policy.run_ask_or_refuse import Verdict, VerdictKind, verdict

__all__ = ["PolicyContext", "Verdict", "VerdictKind", "assess", "verdict"]
