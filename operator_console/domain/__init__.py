"""Values every room shares: geometry, actions, frames, proposals, decisions, events, errors. Standard library only."""
