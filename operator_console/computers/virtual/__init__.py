"""An isolated desktop, started for one session, as a target."""
