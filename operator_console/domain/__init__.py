"""Values that all packages share: geometry, actions, frames, proposals, decisions, events, errors.

Standard library only.
"""
