"""The app's window: renders engine events and posts the operator's intents. The only package that uses Qt widgets."""
